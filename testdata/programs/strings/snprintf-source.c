// verdict: race
// race: write A, read B
// needs: -fno-builtin
// snprintf reads the text that it prints.
#include <stdio.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[3] = 'x'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char text[64];
  snprintf(text, opaque(64), "<%s>", shared); /* B */
  keep(text[opaque(0)]);
  return arg;
}

int main(void) { run_two(first, second); }
