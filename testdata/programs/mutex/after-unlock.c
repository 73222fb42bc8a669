// verdict: race
// race: write A, write B
// The first access comes after the unlock that the second thread's lock orders.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  shared = 2; /* B */
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) { run_two(first, second); }
