// verdict: none
// erand48 goes on from the program's own numbers.
#include <stdlib.h>

#include "../two.h"

static void *first(void *arg) {
  unsigned short own[3] = {1, 2, 3};
  keep(erand48(own) < 2);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  unsigned short own[3] = {1, 2, 3};
  keep(erand48(own) < 2);
  return arg;
}

int main(void) { run_two(first, second); }
