// verdict: none
// Peterson's lock: sequentially consistent, and each entry reads what the other's exit stored.
#include "../two.h"

int wants[2], turn, shared;

static void work(int self) {
  for (int i = 0; i < 50; i++) {
    __atomic_store_n(&wants[self], 1, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&turn, 1 - self, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&wants[1 - self], __ATOMIC_SEQ_CST) && __atomic_load_n(&turn, __ATOMIC_SEQ_CST) != self)
      inv_yield();
    shared += 1;
    __atomic_store_n(&wants[self], 0, __ATOMIC_SEQ_CST);
  }
}

static void *first(void *arg) {
  work(0);
  return arg;
}

static void *second(void *arg) {
  work(1);
  return arg;
}

int main(void) {
  run_two(first, second);
  return shared - 100;
}
