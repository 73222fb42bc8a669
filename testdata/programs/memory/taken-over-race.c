// verdict: race
// race: write A, write B
// Threads take turns in words side by side, each its own; at the end one of them writes to a word of the other.
#include "../two.h"

enum { WORDS = 512 };
long words[WORDS] __attribute__((aligned(4096)));

NOINLINE static void put(int from) {
  for (int i = from; i < WORDS; i += 2) words[opaque(i)] = i; /* A */
}

static void *first(void *arg) {
  put(0);
  inv_step(0);
  inv_wait(2);
  put(0);
  inv_advance();
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  put(1);
  inv_advance();
  inv_wait(3);
  put(1);
  words[opaque(300)] = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
