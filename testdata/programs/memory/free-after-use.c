// verdict: race
// race: read A, write B
// A thread reads a block, another frees it later without any order: the free counts as a write.
#include <stdlib.h>

#include "../two.h"

int *shared;

static void *first(void *arg) {
  keep(*shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  free(shared); /* B */
  return arg;
}

int main(void) {
  shared = malloc(sizeof *shared);
  *shared = 1;
  run_two(first, second);
}
