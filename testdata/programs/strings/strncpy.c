// verdict: race
// race: read A, write B
// needs: -fno-builtin
// strncpy fills up to the full length.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(shared[25]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  strncpy(shared, "abc", opaque(30)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
