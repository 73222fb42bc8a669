// verdict: race
// race: read A, write B
// tsan-gcc: misses; it does not look at what this call touches
// qsort moves what it sorts.
#include <stdlib.h>

#include "../two.h"

char shared[4] = {4, 3, 2, 1};

static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

static void *first(void *arg) {
  keep(shared[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  qsort(shared, 4, 1, compare); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
