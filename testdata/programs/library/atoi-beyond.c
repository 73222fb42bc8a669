// verdict: none
// needs: -fno-builtin
// atoi reads the digits and what ends them, not the text behind.
#include <stdlib.h>

#include "../two.h"

char shared[8] = "123 456";

static void *first(void *arg) {
  shared[4] = '7';
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(atoi(shared));
  return arg;
}

int main(void) { run_two(first, second); }
