// verdict: none
// %c stores as many characters as its width says, and no end.
#include <stdio.h>

#include "../two.h"

char shared[8];

static void *first(void *arg) {
  shared[3] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("abcdefg", "%3c", shared));
  return arg;
}

int main(void) { run_two(first, second); }
