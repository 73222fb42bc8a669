// verdict: race
// race: write A, write B
// A trylock that fails orders nothing.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_trylock(&mutex);
  shared = 2; /* B */
  inv_step(2);
  return arg;
}

int main(void) { run_two(first, second); }
