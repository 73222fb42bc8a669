// verdict: race
// race: write A, read B
// needs: -fno-builtin
// memmove within one array.
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
  memmove(shared + 20, shared, opaque(20)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
