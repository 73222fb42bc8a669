// verdict: race
// race: write A, atomic read B
// A plain store, then an atomic load.
#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(__atomic_load_n(&shared, __ATOMIC_SEQ_CST)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
