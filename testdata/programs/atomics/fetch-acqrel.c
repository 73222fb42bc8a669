// verdict: none
// Additions with acquire and release.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_fetch_add(&flag, 1, __ATOMIC_ACQ_REL);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_fetch_add(&flag, 1, __ATOMIC_ACQ_REL)) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
