// verdict: race
// race: write A, write B
// An unaligned write across two words meets a write to the second word.
#include "../two.h"

char shared[16] __attribute__((aligned(16)));
typedef int __attribute__((aligned(1), may_alias)) loose_int;

static void *first(void *arg) {
  *(loose_int *)&shared[6] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[9] = 1; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
