// verdict: none
// calloc gives zeroes, of memory that another thread had dirtied.
#include <stdlib.h>

#include "../two.h"

static int use(void) {
  int wrong = 0;
  for (int i = 0; i < 100; i++) {
    long *block = calloc(4, sizeof *block);
    wrong |= block[0] != 0 || block[3] != 0;
    block[0] = block[3] = 7;
    keep(block);
    free(block);
  }
  return wrong;
}

static void *first(void *arg) {
  if (use()) abort();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (use()) abort();
  return arg;
}

int main(void) { run_two(first, second); }
