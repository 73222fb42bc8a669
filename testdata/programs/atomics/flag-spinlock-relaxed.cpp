// verdict: race
// race: write A, write B
// A spin lock whose unlock is relaxed keeps others out, but hands nothing over.
#include <atomic>

#include "../two.h"

std::atomic_flag lock = ATOMIC_FLAG_INIT;
int shared;

static void *first(void *arg) {
  while (lock.test_and_set(std::memory_order_acquire)) inv_yield();
  shared = 1; /* A */
  lock.clear(std::memory_order_relaxed);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  while (lock.test_and_set(std::memory_order_acquire)) inv_yield();
  shared = 2; /* B */
  lock.clear(std::memory_order_relaxed);
  return arg;
}

int main() { run_two(first, second); }
