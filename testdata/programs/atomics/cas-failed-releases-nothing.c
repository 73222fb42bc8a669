// verdict: race
// race: write A, read B
// A compare-and-swap that fails stores nothing, so it releases nothing.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  int expected = 5;
  shared = 1; /* A */
  __atomic_compare_exchange_n(&flag, &expected, 6, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
