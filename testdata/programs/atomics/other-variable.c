// verdict: race
// race: write A, read B
// The release is on one variable, the acquire on its neighbour.
#include "../two.h"

int flags[2], shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE) == 0) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
