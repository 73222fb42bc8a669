// verdict: none
// A spin lock of std::atomic_flag.
#include <atomic>

#include "../two.h"

std::atomic_flag lock = ATOMIC_FLAG_INIT;
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 100; i++) {
    while (lock.test_and_set(std::memory_order_acquire)) inv_yield();
    shared += 1;
    lock.clear(std::memory_order_release);
  }
  return arg;
}

int main() {
  run_two(worker, worker);
  return shared - 200;
}
