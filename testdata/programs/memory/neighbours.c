// verdict: none
// Two threads write neighbouring bytes of one word.
#include "../two.h"

char shared[8];

static void *first(void *arg) {
  shared[3] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[4] = 1;
  shared[2] = 1;
  return arg;
}

int main(void) { run_two(first, second); }
