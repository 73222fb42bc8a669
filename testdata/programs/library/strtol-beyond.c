// verdict: none
// needs: -fno-builtin
// strtol does not read what lies behind the number.
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
  keep(strtol(shared, 0, 10));
  return arg;
}

int main(void) { run_two(first, second); }
