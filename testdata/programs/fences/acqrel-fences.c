// verdict: none
// tsan: false alarm; it does not follow fences
// A fence for both, on both sides.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int ready = __atomic_load_n(&flag, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  if (ready) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
