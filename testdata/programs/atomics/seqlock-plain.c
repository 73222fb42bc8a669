// verdict: race
// race: read A, write B
// A sequence lock over plain data: the reader would throw its values away, but reads them nevertheless.
#include "../two.h"

unsigned sequence;
int shared;

static void *reader(void *arg) {
  unsigned before = __atomic_load_n(&sequence, __ATOMIC_ACQUIRE);
  keep(shared); /* A */
  inv_step(0);
  inv_step(2);
  return before == __atomic_load_n(&sequence, __ATOMIC_ACQUIRE) ? arg : 0;
}

static void *writer(void *arg) {
  inv_step(1);
  __atomic_fetch_add(&sequence, 1, __ATOMIC_ACQ_REL);
  shared = 1; /* B */
  __atomic_fetch_add(&sequence, 1, __ATOMIC_RELEASE);
  return arg;
}

int main(void) { run_two(reader, writer); }
