// verdict: none
// tsan: false alarm; it does not follow fences
// One release fence serves all later relaxed stores, one acquire fence all earlier relaxed loads.
#include "../two.h"

int flags[3], shared[3];

static void *first(void *arg) {
  for (int i = 0; i < 3; i++) shared[i] = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (int i = 0; i < 3; i++) __atomic_store_n(&flags[i], 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  int ready = 0;
  inv_step(1);
  for (int i = 0; i < 3; i++) ready += __atomic_load_n(&flags[i], __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (ready == 3)
    for (int i = 0; i < 3; i++) keep(shared[i]);
  return arg;
}

int main(void) { run_two(first, second); }
