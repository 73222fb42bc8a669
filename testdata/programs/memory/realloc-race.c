// verdict: race
// race: write A, write B
// A thread moves a block by realloc while another has just written to it: moving frees the old place.
#include <stdlib.h>

#include "../two.h"

long *shared;

static void *first(void *arg) {
  shared[0] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  long *moved = realloc(shared, 1 << 20); /* B */
  keep(moved);
  free(moved);
  return arg;
}

int main(void) {
  shared = malloc(sizeof *shared);
  run_two(first, second);
}
