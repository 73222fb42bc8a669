// verdict: race
// race: atomic write A, read B
// An atomic store of four bytes and a plain load of the last of them.
#include "../two.h"

union {
  int word;
  char bytes[4];
} shared;

static void *first(void *arg) {
  __atomic_store_n(&shared.word, 1, __ATOMIC_RELAXED); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared.bytes[3]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
