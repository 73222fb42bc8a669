// verdict: race
// race: write A, read B
// Only what the once does is ordered, not what its caller does afterwards.
#include "../two.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int shared;

static void initialise(void) {}

static void *first(void *arg) {
  pthread_once(&once, initialise);
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_once(&once, initialise);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
