// verdict: none
// A bit-field of width zero parts two memory locations.
#include "../two.h"

struct {
  int one : 3;
  int : 0;
  int two : 5;
} shared;

static void *first(void *arg) {
  shared.one = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.two = 2;
  return arg;
}

int main(void) { run_two(first, second); }
