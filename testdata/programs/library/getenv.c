// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// The environment must not change while another thread asks for a variable.
#include <stdlib.h>

#include "../two.h"

static void *first(void *arg) {
  keep(getenv("HOME")); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  setenv("DEADHEAT_TEST", "1", 1); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
