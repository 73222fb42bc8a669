// verdict: race
// race: write A, read B
// The eight bytes of a word are written one by one; another thread reads all of them.
#include "../two.h"

union {
  char bytes[8];
  long word;
} shared;
static NOINLINE void put(int i) {
  shared.bytes[i] = 1; /* A */
}

static void *first(void *arg) {
  for (int i = 0; i < 8; i++) put(i);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared.word); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
