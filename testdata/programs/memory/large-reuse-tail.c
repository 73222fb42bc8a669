// verdict: none
// A large block lies where a slightly larger one was that another thread has freed: also its last, odd bytes are new.
#include <stdlib.h>

#include "../two.h"

static void use(size_t size) {
  char *block = malloc(size);
  block[size - 1] = 1;
  keep(block[opaque(0)]);
  free(block);
}

static void *first(void *arg) {
  use(300000);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use(299993);
  return arg;
}

int main(void) { run_two(first, second); }
