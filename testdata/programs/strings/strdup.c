// verdict: race
// race: write A, read B
// tsan: misses; to it, strdup is only a malloc
// needs: -fno-builtin
// strdup reads.
#include <stdlib.h>
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[0] = 'b'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *copy = strdup(shared); /* B */
  keep(copy[0]);
  free(copy);
  return arg;
}

int main(void) { run_two(first, second); }
