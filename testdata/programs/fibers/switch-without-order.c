// verdict: race
// race: write A, write B
// A switch that is told not to order: what two fibers do in one thread can race.
#include "../two.h"
#include "fibers.h"

int shared;

static NOINLINE void one(void) {
  shared = 1; /* A */
}

static NOINLINE void two(void) {
  shared = 2; /* B */
}

int main(void) {
  void *here = __tsan_get_current_fiber();
  void *fiber = __tsan_create_fiber(0);
  one();
  __tsan_switch_to_fiber(fiber, NO_SYNC);
  two();
  __tsan_switch_to_fiber(here, NO_SYNC);
  __tsan_destroy_fiber(fiber);
}
