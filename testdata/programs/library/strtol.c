// verdict: race
// race: write A, read B
// needs: -fno-builtin
// tsan: misses; it does not look at what this call touches
// strtol reads the digits.
#include <stdlib.h>

#include "../two.h"

char shared[8] = "123 456";

static void *first(void *arg) {
  shared[2] = '4'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(strtol(shared, 0, 10)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
