// verdict: race
// race: write A, write B
// Both write the same value: a race nevertheless.
#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 7; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 7; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
