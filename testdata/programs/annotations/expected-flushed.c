// verdict: race
// race: write A, read B
// tsan: unsteady; it has forgotten the annotation
// What was expected and came is settled; a race after that is one like others.
#include "../two.h"
#include "annotations.h"

int before, shared;

static void *first(void *arg) {
  before = 1;
  inv_step(0);
  inv_wait(2);
  shared = 1; /* A */
  inv_step(2);
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  keep(before);
  AnnotateFlushExpectedRaces(__FILE__, __LINE__);
  inv_step(1);
  inv_wait(3);
  keep(shared); /* B */
  return arg;
}

int main(void) {
  AnnotateExpectRace(__FILE__, __LINE__, &before, "by design");
  AnnotateExpectRace(__FILE__, __LINE__, &before, "twice");
  run_two(first, second);
}
