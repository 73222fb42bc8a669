// verdict: race
// race: write A, read B
// Behind the end of the ignored part, reads count again.
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
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  keep(other);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
