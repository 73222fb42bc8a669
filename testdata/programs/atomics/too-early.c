// verdict: race
// race: write A, read B
// The acquire comes before the release and reads the old value.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  inv_step(1);
  shared = 1; /* A */
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  inv_step(2);
  return arg;
}

static void *second(void *arg) {
  keep(__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
  inv_step(0);
  inv_step(3);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
