// verdict: none
// An order that only the annotation tells.
#include "../two.h"
#include "annotations.h"

int place;
int shared;

static void *first(void *arg) {
  shared = 1;
  AnnotateHappensBefore(__FILE__, __LINE__, &place);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  AnnotateHappensAfter(__FILE__, __LINE__, &place);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
