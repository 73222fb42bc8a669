// verdict: none
// sscanf writes no more of a text than its width and the end.
#include <stdio.h>

#include "../two.h"

char shared[8];

static void *first(void *arg) {
  shared[4] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("abcdefg", "%3s", shared));
  return arg;
}

int main(void) { run_two(first, second); }
