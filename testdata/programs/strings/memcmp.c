// verdict: race
// race: write A, read B
// needs: -fno-builtin
// memcmp reads all that it was given, even behind the first difference.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[2] = 'b'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(memcmp(shared, "xyz", opaque(3))); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
