// verdict: race
// race: write A, write B
// needs: -fno-builtin
// tsan: misses; it does not look at what this call touches
// strtok keeps where it is in one place for all threads.
#include <string.h>

#include "../two.h"

char one[] = "a b", two[] = "c d";

static void *first(void *arg) {
  keep(strtok(one, " ")); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(strtok(two, " ")); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
