// verdict: race
// race: write A, read B
// The benign place is another one.
#include "../two.h"
#include "annotations.h"

int other;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &other, sizeof other, "a counter for display");
  run_two(first, second);
}
