// verdict: race
// race: read A, write B
// %* stores nothing and has no argument.
#include <stdio.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("1 2", "%*d %d", &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
