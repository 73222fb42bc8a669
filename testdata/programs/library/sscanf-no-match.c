// verdict: none
// What sscanf did not get to is not written.
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
  keep(sscanf("1 x", "%d %d", &mine, &shared));
  return arg;
}

int main(void) { run_two(first, second); }
