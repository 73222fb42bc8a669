// verdict: none
// The same by the functions of the sanitizer interface.
#include "../two.h"
#include "annotations.h"

int place;
int shared;

static void *first(void *arg) {
  shared = 1;
  __tsan_release(&place);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __tsan_acquire(&place);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
