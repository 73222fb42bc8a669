// verdict: race
// race: atomic write A, write B
// An atomic store and a plain one race.
#include "../two.h"

int shared;

static void *first(void *arg) {
  __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
