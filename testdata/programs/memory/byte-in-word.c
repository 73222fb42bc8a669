// verdict: race
// race: write A, read B
// A read of one byte inside a word that was written whole.
#include "../two.h"

union {
  long word;
  char bytes[8];
} shared;

static void *first(void *arg) {
  shared.word = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared.bytes[5]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
