// verdict: none
// An atomic load and a plain one do not race.
#include "../two.h"

int shared;

static void *first(void *arg) {
  keep(__atomic_load_n(&shared, __ATOMIC_RELAXED));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
