// verdict: race
// race: write A, write B
// tsan: misses; it remembers four accesses for each word
// The eight bytes of a word are written one by one; another thread writes the first.
#include "../two.h"

char shared[8] __attribute__((aligned(8)));
static NOINLINE void put(int i) {
  shared[i] = 1; /* A */
}

static void *first(void *arg) {
  for (int i = 0; i < 8; i++) put(i);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared[0] = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
