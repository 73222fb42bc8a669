// verdict: race
// race: write A, read B
// Exchanges that only acquire: the first does not release.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_exchange_n(&flag, 1, __ATOMIC_ACQUIRE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_exchange_n(&flag, 2, __ATOMIC_ACQUIRE)) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
