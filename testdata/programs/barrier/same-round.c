// verdict: race
// race: write A, read B
// tsan: unsteady; with one clock for all rounds, it takes what the fast thread gave to the next round for this one's
// Both accesses lie between the same two barriers.
#include "../two.h"

pthread_barrier_t barrier;
int shared;

static void *first(void *arg) {
  pthread_barrier_wait(&barrier);
  shared = 1; /* A */
  inv_step(0);
  pthread_barrier_wait(&barrier);
  return arg;
}

static void *second(void *arg) {
  pthread_barrier_wait(&barrier);
  inv_step(1);
  keep(shared); /* B */
  pthread_barrier_wait(&barrier);
  return arg;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 2);
  run_two(first, second);
  pthread_barrier_destroy(&barrier);
}
