// verdict: race
// race: read A, write B
// A write of a whole word over a byte that was read.
#include "../two.h"

union {
  long word;
  char bytes[8];
} shared;

static void *first(void *arg) {
  keep(shared.bytes[6]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.word = 1; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
