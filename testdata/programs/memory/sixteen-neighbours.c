// verdict: none
// Values of 16 bytes, side by side.
#include "../two.h"

__int128 shared[3];

static void *first(void *arg) {
  shared[1] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[0] = 1;
  shared[2] = 1;
  return arg;
}

int main(void) { run_two(first, second); }
