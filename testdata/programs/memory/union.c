// verdict: race
// race: write A, write B
// Two members of a union are the same memory.
#include "../two.h"

union {
  int number;
  float real;
} shared;

static void *first(void *arg) {
  shared.number = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.real = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
