// verdict: race
// race: write A, read B
// Memory from brk is watched like any other.
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "../two.h"

char *shared;

static void *first(void *arg) {
  shared[8] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared[8]); /* B */
  return arg;
}

int main(void) {
  shared = sbrk(0);
  if (brk(shared + 4096) != 0) return 1;
  run_two(first, second);
}
