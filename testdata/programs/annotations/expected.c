// verdict: none
// tsan: false alarm; it has forgotten the annotation
// A race that the program expects is no failure.
#include "../two.h"
#include "annotations.h"

int shared;

static void *first(void *arg) {
  shared = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared);
  return arg;
}

int main(void) {
  AnnotateExpectRace(__FILE__, __LINE__, &shared, "by design");
  run_two(first, second);
}
