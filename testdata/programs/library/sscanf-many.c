// verdict: race
// race: read A, write B
// Arguments beyond the registers: the ninth number is written.
#include <stdio.h>

#include "../two.h"

int n[8], shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("1 2 3 4 5 6 7 8 9", "%d %d %d %d %d %d %d %d %d", n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
