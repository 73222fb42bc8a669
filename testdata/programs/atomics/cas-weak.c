// verdict: none
// A loop of weak compare-and-swaps as a lock.
#include "../two.h"

int lock, shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 100; i++) {
    int expected = 0;
    while (!__atomic_compare_exchange_n(&lock, &expected, 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      expected = 0;
      inv_yield();
    }
    shared += 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  }
  return arg;
}

int main(void) {
  run_two(worker, worker);
  return shared - 200;
}
