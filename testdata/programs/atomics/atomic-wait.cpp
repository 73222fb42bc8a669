// verdict: none
// needs: c++20
// A thread sleeps on an atomic until another changes it.
#include <atomic>

#include "../two.h"

std::atomic<int> flag;
int shared;

static void *first(void *arg) {
  inv_step(0);
  shared = 1;
  flag.store(1, std::memory_order_release);
  flag.notify_one();
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  flag.wait(0, std::memory_order_acquire);
  keep(shared);
  return arg;
}

int main() { run_two(first, second); }
