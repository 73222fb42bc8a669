// verdict: race
// race: write A, write B
// A word that the next thread has written piece by piece, early in its life, is not taken for one of a thread that has lived longer.
#include "../two.h"

int halves[2] __attribute__((aligned(8)));
static int busy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;

static void publish(pthread_mutex_t *to) {
  pthread_mutex_lock(to);
  pthread_mutex_unlock(to);
}

NOINLINE static void live(int long_enough) {
  for (int i = 0; i < long_enough; i++) {
    busy = opaque(i);
    publish(&mutex);
  }
}

static void *first(void *arg) {
  live(1000);
  inv_wait(1);
  halves[opaque(0)] = 3; /* B */
  return arg;
}

static void *second(void *arg) {
  halves[opaque(0)] = 1;
  halves[opaque(1)] = 1;
  publish(&own);
  halves[opaque(0)] = 2; /* A */
  inv_step(0);
  return arg;
}

int main(void) { run_two(first, second); }
