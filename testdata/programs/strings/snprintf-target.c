// verdict: race
// race: read A, write B
// needs: -fno-builtin
// snprintf writes its target.
#include <stdio.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(shared[3]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  snprintf(shared, opaque(20), "%d", opaque(123456)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
