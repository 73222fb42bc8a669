// verdict: race
// race: write A, read B
// volatile is no atomic: the flag itself races.
#include "../two.h"

volatile int flag;

static void *first(void *arg) {
  flag = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(flag); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
