// verdict: none
// Compilers make consume an acquire.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_load_n(&flag, __ATOMIC_CONSUME)) keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
