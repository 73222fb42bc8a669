// verdict: race
// race: read A, write B
// needs: -fno-builtin
// memcpy writes its target.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(shared[19]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  memcpy(shared, "12345678901234567890", opaque(20)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
