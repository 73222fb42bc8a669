// verdict: race
// race: read A, write B
// needs: -fno-builtin
// tsan: misses; it does not look at what this call touches
// strtol writes where the number ended.
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
  keep(strtol("12", &shared, 10)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
