// verdict: race
// race: read A, write B
// getrandom writes bytes.
#include <sys/random.h>

#include "../two.h"

char shared[8];

static void *first(void *arg) {
  keep(shared[7]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(getrandom(shared, 8, 0)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
