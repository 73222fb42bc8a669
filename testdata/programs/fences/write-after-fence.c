// verdict: race
// race: write A, read B
// What is written between the release fence and the store is not handed over.
#include "../two.h"

int flag, before, shared;

static void *first(void *arg) {
  before = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
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
