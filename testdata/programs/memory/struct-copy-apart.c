// verdict: none
// Copies of different elements of an array.
#include "../two.h"

struct pair {
  long left, right, more[6];
} shared[4];

static void *first(void *arg) {
  shared[1] = shared[0];
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[2] = shared[0];
  return arg;
}

int main(void) { run_two(first, second); }
