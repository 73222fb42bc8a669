// verdict: none
// Unaligned writes that touch, but do not overlap.
#include "../two.h"

char shared[16] __attribute__((aligned(16)));
typedef int __attribute__((aligned(1), may_alias)) loose_int;

static void *first(void *arg) {
  *(loose_int *)&shared[6] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[5] = 1;
  shared[10] = 1;
  *(loose_int *)&shared[1] = 1;
  return arg;
}

int main(void) { run_two(first, second); }
