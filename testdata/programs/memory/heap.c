// verdict: race
// race: write A, read B
// A block of the heap, shared by two threads.
#include <stdlib.h>

#include "../two.h"

int *shared;

static void *first(void *arg) {
  shared[5] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared[5]); /* B */
  return arg;
}

int main(void) {
  shared = malloc(10 * sizeof *shared);
  run_two(first, second);
  free(shared);
}
