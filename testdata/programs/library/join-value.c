// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// pthread_join writes what the thread returned.
#include <pthread.h>

#include "../two.h"

void *shared;
pthread_t third;

static void *answer(void *arg) { return arg; }

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_join(third, &shared); /* B */
  return arg;
}

int main(void) {
  pthread_create(&third, 0, answer, 0);
  run_two(first, second);
}
