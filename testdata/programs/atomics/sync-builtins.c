// verdict: none
// The old __sync builtins are sequentially consistent.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __sync_fetch_and_add(&flag, 1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__sync_bool_compare_and_swap(&flag, 1, 2)) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
