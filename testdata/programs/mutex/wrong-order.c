// verdict: race
// race: write A, write B
// The thread that accesses last had the mutex first: the edge points the wrong way.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  shared = 1; /* A */
  pthread_mutex_unlock(&mutex);
  inv_step(2);
  return arg;
}

static void *second(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  inv_step(0);
  inv_step(3);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
