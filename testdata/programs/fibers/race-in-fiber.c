// verdict: race
// race: write A, read B
// What a fiber does races with other threads.
#include "../two.h"
#include "fibers.h"

int shared;

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static void *first(void *arg) {
  void *here = __tsan_get_current_fiber();
  void *fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(fiber, 0);
  put();
  __tsan_switch_to_fiber(here, 0);
  __tsan_destroy_fiber(fiber);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
