// verdict: race
// race: write A, write B
// Only one of the two threads holds the mutex.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  shared = 1; /* A */
  pthread_mutex_unlock(&mutex);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
