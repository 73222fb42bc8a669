// verdict: race
// race: write A, write B
// Half of a word is written again and published; the other half was written before, and nobody was told of that.
#include "../two.h"

int halves[2] __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;

static void publish(pthread_mutex_t *to) {
  pthread_mutex_lock(to);
  pthread_mutex_unlock(to);
}

NOINLINE static void both(void) {
  halves[opaque(0)] = 1;
  halves[opaque(1)] = 1; /* A */
}

static void *first(void *arg) {
  publish(&mutex);
  both();
  publish(&own);
  halves[opaque(0)] = 2;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  publish(&mutex);
  halves[opaque(1)] = 3; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
