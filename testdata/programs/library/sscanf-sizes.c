// verdict: none
// The size of a number is that of its type: the neighbours are others'.
#include <stdio.h>

#include "../two.h"

struct {
  short a;
  char b, c;
  double d;
  float e;
  int f;
} shared;

static void *first(void *arg) {
  shared.c = 1;
  shared.f = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(sscanf("1 2 3 4", "%hd %hhd %lf %f", &shared.a, (signed char *)&shared.b, &shared.d, &shared.e));
  return arg;
}

int main(void) { run_two(first, second); }
