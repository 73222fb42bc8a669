// verdict: none
// A write that the program asks to ignore.
#include "../two.h"
#include "annotations.h"


int shared;

static void *first(void *arg) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  shared = 1;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
