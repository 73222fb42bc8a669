// verdict: race
// race: read A, write B
// sscanf writes a text with its end.
#include <stdio.h>

#include "../two.h"

char shared[8];

static void *first(void *arg) {
  keep(shared[3]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("abcdefg", "%3s", shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
