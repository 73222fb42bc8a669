// verdict: race
// race: write A, read B
// An acquire without a release orders nothing.
#include "../two.h"
#include "annotations.h"

int place;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __tsan_acquire(&place);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __tsan_acquire(&place);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
