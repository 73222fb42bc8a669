// verdict: none
// An exchange with acquire and release on both sides.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_exchange_n(&flag, 1, __ATOMIC_ACQ_REL);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_exchange_n(&flag, 2, __ATOMIC_ACQ_REL)) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
