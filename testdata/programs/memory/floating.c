// verdict: race
// race: write A, write B
// A double and a float write overlapping bytes.
#include "../two.h"

union {
  double wide;
  float narrow[2];
} shared;

static void *first(void *arg) {
  shared.wide = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.narrow[1] = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
