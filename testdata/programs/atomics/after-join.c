// verdict: none
// Atomic while shared, plain before and after.
#include "../two.h"

int shared;

static void *worker(void *arg) {
  __atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
  return arg;
}

int main(void) {
  shared = 1;
  run_two(worker, worker);
  return shared - 3;
}
