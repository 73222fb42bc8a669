// verdict: race
// race: write A, read B
// A signal fence orders a thread with its own handlers, not with other threads.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int ready = __atomic_load_n(&flag, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (ready) keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
