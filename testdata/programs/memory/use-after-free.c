// verdict: use-after-free
// A thread frees a block, another reads it later without any order.
#include <stdlib.h>

#include "../two.h"

int *shared;

static void *first(void *arg) {
  free(shared);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(*shared);
  return arg;
}

int main(void) {
  shared = malloc(sizeof *shared);
  *shared = 1;
  run_two(first, second);
}
