// verdict: none
// Fibers of one thread, and a switch between them orders.
#include "../two.h"
#include "fibers.h"

int shared;

int main(void) {
  void *here = __tsan_get_current_fiber();
  void *fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "fiber");
  shared = 1;
  __tsan_switch_to_fiber(fiber, 0);
  shared = 2;
  __tsan_switch_to_fiber(here, 0);
  shared = 3;
  __tsan_destroy_fiber(fiber);
}
