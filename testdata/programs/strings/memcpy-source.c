// verdict: race
// race: write A, read B
// needs: -fno-builtin
// memcpy reads its source.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[5] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char copy[64];
  memcpy(copy, shared, opaque(20)); /* B */
  keep(copy[opaque(0)]);
  return arg;
}

int main(void) { run_two(first, second); }
