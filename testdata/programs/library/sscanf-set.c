// verdict: race
// race: read A, write B
// %[ stores what is in the set; brackets may be in it.
#include <stdio.h>

#include "../two.h"

int shared;
char text[8];

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("a]b7", "%7[]ab]%d", text, &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
