// verdict: race
// race: write A, write B
// Two threads write the same variable.
#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
