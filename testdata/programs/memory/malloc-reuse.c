// verdict: none
// Blocks go from one thread's free to the other's malloc: a fresh start, not a race.
#include <stdlib.h>
#include <string.h>

#include "../two.h"

static void use(int count) {
  for (int i = 0; i < count; i++) {
    char *block = malloc(48);
    memset(block, i, opaque(48));
    keep(block[opaque(5)]);
    free(block);
  }
}

static void *first(void *arg) {
  use(200);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use(200);
  return arg;
}

int main(void) { run_two(first, second); }
