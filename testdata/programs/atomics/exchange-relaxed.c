// verdict: race
// race: write A, read B
// Relaxed exchanges order nothing.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_exchange_n(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_exchange_n(&flag, 2, __ATOMIC_RELAXED)) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
