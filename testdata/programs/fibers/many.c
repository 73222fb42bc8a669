// verdict: none
// A thousand fibers, made, run and destroyed.
#include "../two.h"
#include "fibers.h"

int shared;

int main(void) {
  void *here = __tsan_get_current_fiber();
  for (int i = 0; i < 1000; i++) {
    void *fiber = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber, 0);
    shared += 1;
    __tsan_switch_to_fiber(here, 0);
    __tsan_destroy_fiber(fiber);
  }
  return shared - 1000;
}
