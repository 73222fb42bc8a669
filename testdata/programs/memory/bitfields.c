// verdict: race
// race: write A, read B
// Two bit-fields of one unit are one memory location: who writes one writes both.
#include "../two.h"

struct {
  int one : 3;
  int two : 5;
} shared;

static void *first(void *arg) {
  shared.one = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared.two); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
