// verdict: race
// race: write A, read B
// An acquire without a release.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
