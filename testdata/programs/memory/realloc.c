// verdict: none
// A block grows and moves; its contents come along, and the new place is fresh.
#include <stdlib.h>

#include "../two.h"

static void *worker(void *arg) {
  int *block = malloc(4 * sizeof *block);
  for (int i = 0; i < 4; i++) block[i] = i;
  for (int size = 8; size < 100000; size *= 2) {
    block = realloc(block, size * sizeof *block);
    if (block[3] != 3) abort();
    block[size - 1] = 1;
  }
  free(block);
  inv_advance();
  return arg;
}

int main(void) { run_two(worker, worker); }
