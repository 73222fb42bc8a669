// verdict: none
// only: gcc; clang has no hints for hardware lock elision
// A lock with the hint for hardware lock elision: a high bit in the memory order that means nothing here.
#include "../two.h"

int lock, shared;

static void *worker(void *arg) {
  for (int i = 0; i < 50; i++) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE | __ATOMIC_HLE_ACQUIRE)) inv_yield();
    shared += 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE | __ATOMIC_HLE_RELEASE);
  }
  return arg;
}

int main(void) {
  run_two(worker, worker);
  return shared - 100;
}
