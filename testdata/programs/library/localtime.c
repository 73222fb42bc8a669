// verdict: race
// race: write A, write B
// tsan: unsteady; it reports twice
// localtime answers in memory that all threads share.
#include <time.h>

#include "../two.h"

time_t then;

static void *first(void *arg) {
  keep(localtime(&then)); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(localtime(&then)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
