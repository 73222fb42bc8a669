// verdict: none
// A fiber runs in one thread, then in another: what it did before is its own past.
#include "../two.h"
#include "fibers.h"

void *fiber;
int shared;

static void run(void) {
  void *here = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, NO_SYNC);
  shared += 1;
  __tsan_switch_to_fiber(here, NO_SYNC);
}

static void *first(void *arg) {
  run();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  run();
  return arg;
}

int main(void) {
  fiber = __tsan_create_fiber(0);
  run_two(first, second);
  __tsan_destroy_fiber(fiber);
}
