// verdict: none
// A sequence lock whose data are relaxed atomics.
#include <atomic>

#include "../two.h"

std::atomic<unsigned> sequence;
std::atomic<int> left, right;

static void *writer(void *arg) {
  for (int i = 1; i <= 100; i++) {
    unsigned now = sequence.load(std::memory_order_relaxed);
    sequence.store(now + 1, std::memory_order_seq_cst);
    left.store(i, std::memory_order_seq_cst);
    right.store(-i, std::memory_order_seq_cst);
    sequence.store(now + 2, std::memory_order_release);
  }
  return arg;
}

static void *reader(void *arg) {
  for (int i = 0; i < 100; i++) {
    unsigned before = sequence.load(std::memory_order_acquire);
    int sum = left.load(std::memory_order_acquire) + right.load(std::memory_order_acquire);
    if (before % 2 == 0 && before == sequence.load(std::memory_order_acquire) && sum != 0) __builtin_trap();
  }
  return arg;
}

int main() { run_two(writer, reader); }
