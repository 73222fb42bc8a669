// verdict: race
// race: write A, read B
// A vector register is stored, and one of its lanes is read.
#include "../two.h"

typedef int lanes __attribute__((vector_size(16)));
union {
  lanes all;
  int one[4];
} shared;

static void *first(void *arg) {
  shared.all = (lanes){1, 2, 3, 4}; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared.one[2]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
