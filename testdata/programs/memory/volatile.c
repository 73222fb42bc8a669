// verdict: race
// race: write A, read B
// Volatile accesses are checked like others.
#include "../two.h"

volatile long shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
