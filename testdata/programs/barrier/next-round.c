// verdict: race
// race: write A, read B
// tsan: unsteady; with one clock for all rounds, it takes what the fast thread gave to the next round for this one's
// A fast thread has written and reached the next round before the slow ones have left this one: still a race.
#include "../two.h"

enum { THREADS = 4 };
pthread_barrier_t barrier;
int shared;

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static NOINLINE void get(void) {
  keep(shared); /* B */
}

static void *slow(void *arg) {
  inv_advance();
  pthread_barrier_wait(&barrier);
  if (arg) {
    inv_wait(THREADS);
    get();
  }
  pthread_barrier_wait(&barrier);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS - 1];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (long i = 0; i < THREADS - 1; i++) pthread_create(&threads[i], 0, slow, i == 0 ? threads : 0);
  inv_wait(THREADS - 1);
  for (int i = 0; i < 1000; i++) inv_yield();
  pthread_barrier_wait(&barrier);
  put();
  inv_advance();
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < THREADS - 1; i++) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&barrier);
}
