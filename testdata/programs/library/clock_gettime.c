// verdict: race
// race: read A, write B
// clock_gettime writes the time.
#include <time.h>

#include "../two.h"

struct timespec shared;

static void *first(void *arg) {
  keep(shared.tv_nsec); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  clock_gettime(CLOCK_MONOTONIC, &shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
