// verdict: none
// tsan: false alarm; it does not see what this orders
// The lock of a stream keeps threads apart.
#include <stdio.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  flockfile(stdout);
  shared++;
  funlockfile(stdout);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  flockfile(stdout);
  shared++;
  funlockfile(stdout);
  return arg;
}

int main(void) { run_two(first, second); }
