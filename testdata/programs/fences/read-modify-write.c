// verdict: none
// tsan: false alarm; it does not follow fences
// Fences around relaxed additions.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int ready = __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (ready) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
