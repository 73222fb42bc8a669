// verdict: race
// race: write A, read B
// Fences without an atomic that carries them order nothing.
#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
