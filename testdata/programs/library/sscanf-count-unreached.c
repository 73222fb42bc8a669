// verdict: none
// tsan: false alarm; it takes %n for written
// %n behind what does not match is not written.
#include <stdio.h>

#include "../two.h"

int mine, shared;

static void *first(void *arg) {
  shared = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("12 x", "%d y%n", &mine, &shared));
  return arg;
}

int main(void) { run_two(first, second); }
