// verdict: race
// race: write A, read B
// A flag of 16 bits hands over what was written before it, and nothing that was written after it.
#include "../two.h"

short flag;
int before, after;

static void *first(void *arg) {
  before = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  after = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
    keep(before);
    keep(after); /* B */
  }
  return arg;
}

int main(void) { run_two(first, second); }
