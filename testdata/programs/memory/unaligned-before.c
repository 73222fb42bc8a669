// verdict: race
// race: write A, read B
// An earlier access that is not aligned overlaps a later one by its last byte.
#include "../two.h"

struct {
  char before[5];
  int number;
} __attribute__((aligned(8), packed)) shared;

static NOINLINE void *first(void *arg) {
  shared.number = 1; /* A */
  inv_step(0);
  return arg;
}

static NOINLINE void *second(void *arg) {
  inv_step(1);
  keep(((char *)&shared)[8]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
