// verdict: race
// race: write A, write B
// A write of 16 bytes, then one of a byte in its second half.
#include "../two.h"

union {
  __int128 wide;
  char bytes[16];
} shared;

static void *first(void *arg) {
  shared.wide = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.bytes[12] = 1; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
