// verdict: race
// race: write A, read B
// A structure is copied while one of its fields is written.
#include "../two.h"

struct pair {
  long left, right;
} shared, copy;

static void *first(void *arg) {
  shared.right = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  copy = shared; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
