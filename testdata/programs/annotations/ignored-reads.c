// verdict: none
// A read that the program asks to ignore.
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
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  keep(shared);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return arg;
}

int main(void) { run_two(first, second); }
