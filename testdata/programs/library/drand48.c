// verdict: race
// race: write A, write B
// tsan: misses; it does not look at what this call touches
// drand48 goes on from numbers that all threads share.
#include <stdlib.h>

#include "../two.h"

static void *first(void *arg) {
  keep(drand48() < 2); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(drand48() < 2); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
