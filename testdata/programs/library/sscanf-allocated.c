// verdict: race
// race: read A, write B
// %ms writes the address of the block that it allocates.
#include <stdio.h>
#include <stdlib.h>

#include "../two.h"

char *shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("word", "%ms", &shared)); /* B */
  return arg;
}

int main(void) {
  run_two(first, second);
  free(shared);
}
