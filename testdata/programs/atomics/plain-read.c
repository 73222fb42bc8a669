// verdict: race
// race: atomic write A, read B
// An atomic addition, then a plain load.
#include "../two.h"

int shared;

static void *first(void *arg) {
  __atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
