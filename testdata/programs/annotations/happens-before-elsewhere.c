// verdict: race
// race: write A, read B
// The two annotations name different places.
#include "../two.h"
#include "annotations.h"

int place, other;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  AnnotateHappensBefore(__FILE__, __LINE__, &place);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  AnnotateHappensAfter(__FILE__, __LINE__, &other);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
