// verdict: race
// race: write A, read B
// tsan: misses; it does not look at what this call touches
// sscanf reads its text.
#include <stdio.h>

#include "../two.h"

char shared[8] = "12";
int mine;

static void *first(void *arg) {
  shared[1] = '3'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf(shared, "%d", &mine)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
