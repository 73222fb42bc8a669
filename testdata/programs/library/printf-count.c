// verdict: race
// race: read A, write B
// needs: -fno-builtin -Wno-format-truncation
// %n of printf is written.
#include <stdio.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char text[8];
  snprintf(text, opaque(8), "ab%n", &shared); /* B */
  keep(text[opaque(0)]);
  return arg;
}

int main(void) { run_two(first, second); }
