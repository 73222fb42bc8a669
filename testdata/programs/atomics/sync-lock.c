// verdict: none
// __sync_lock_test_and_set acquires, __sync_lock_release releases.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __sync_lock_release(&flag);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__sync_lock_test_and_set(&flag, 1) == 0) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
