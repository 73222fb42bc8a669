// verdict: none
// The atomics of C11 by their generic names.
#include <stdatomic.h>

#include "../two.h"

atomic_int flag;
_Atomic long counter;
int shared;

static void *first(void *arg) {
  shared = 1;
  counter += 5;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return arg;
}

static void *second(void *arg) {
  while (!atomic_load_explicit(&flag, memory_order_acquire)) inv_yield();
  keep(shared);
  atomic_fetch_add(&counter, 2);
  return arg;
}

int main(void) {
  run_two(first, second);
  return (int)counter - 7;
}
