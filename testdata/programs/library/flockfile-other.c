// verdict: race
// race: write A, read B
// The locks of two streams do not.
#include <stdio.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  flockfile(stdout);
  shared = 1; /* A */
  funlockfile(stdout);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  flockfile(stderr);
  keep(shared); /* B */
  funlockfile(stderr);
  return arg;
}

int main(void) { run_two(first, second); }
