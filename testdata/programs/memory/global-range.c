// verdict: race
// race: write A, read B
// A loop over an array meets one element that another thread wrote.
#include "../two.h"

int shared[1000];
static NOINLINE void sum(void) {
  int total = 0;
  for (int i = 0; i < 1000; i++) total += shared[i]; /* B */
  keep(total);
}

static void *first(void *arg) {
  shared[777] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  sum();
  return arg;
}

int main(void) { run_two(first, second); }
