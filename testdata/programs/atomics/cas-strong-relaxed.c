// verdict: race
// race: write A, read B
// A compare-and-swap that succeeds, but relaxed.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  int expected = 1;
  inv_step(1);
  if (__atomic_compare_exchange_n(&flag, &expected, 2, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
