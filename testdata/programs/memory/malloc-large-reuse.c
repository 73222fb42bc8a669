// verdict: none
// Large blocks, which come from mmap, are freed by one thread and taken by another.
#include <stdlib.h>

#include "../two.h"

static void use(void) {
  for (int i = 0; i < 4; i++) {
    char *block = malloc(1 << 20);
    for (int j = 0; j < 1 << 20; j += 4096) block[j] = 1;
    keep(block[opaque(4096)]);
    free(block);
  }
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main(void) { run_two(first, second); }
