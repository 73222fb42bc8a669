// verdict: race
// race: write A, write B
// After the barrier both threads write.
#include "../two.h"

pthread_barrier_t barrier;
int shared;

static void *first(void *arg) {
  pthread_barrier_wait(&barrier);
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  pthread_barrier_wait(&barrier);
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 2);
  run_two(first, second);
  pthread_barrier_destroy(&barrier);
}
