// verdict: race
// race: write A, read B
// A race is reported although the program ends by _exit from another thread.
#include <unistd.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(1000);
  return arg;
}

static void *second(void *arg) {
  (void)arg;
  inv_step(1);
  keep(shared); /* B */
  _exit(0);
}

int main(void) { run_two(first, second); }
