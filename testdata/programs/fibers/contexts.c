// verdict: none
// swapcontext with the switches told: coroutines on stacks of their own.
#include <stdlib.h>
#include <ucontext.h>

#include "../two.h"
#include "fibers.h"

static ucontext_t here, there;
static void *here_fiber, *there_fiber;
int shared;

static void body(void) {
  for (int i = 0; i < 3; i++) {
    shared += 1;
    __tsan_switch_to_fiber(here_fiber, 0);
    swapcontext(&there, &here);
  }
  __tsan_switch_to_fiber(here_fiber, 0);
}

int main(void) {
  enum { SIZE = 1 << 18 };
  char *stack = malloc(SIZE);
  here_fiber = __tsan_get_current_fiber();
  there_fiber = __tsan_create_fiber(0);
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = SIZE;
  there.uc_link = &here;
  makecontext(&there, body, 0);
  for (int i = 0; i < 4; i++) {
    shared += 1;
    __tsan_switch_to_fiber(there_fiber, 0);
    swapcontext(&here, &there);
  }
  __tsan_destroy_fiber(there_fiber);
  free(stack);
  return shared - 7;
}
