// verdict: race
// race: write A, read B
// A relaxed fence is none.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_thread_fence(__ATOMIC_RELAXED);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int ready = __atomic_load_n(&flag, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELAXED);
  if (ready) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
