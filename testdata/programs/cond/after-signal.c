// verdict: race
// race: write A, read B
// Written after the mutex was given up for the waiter: too late to be handed over.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready, shared;

static void *first(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  shared = 1; /* A */
  inv_step(2);
  return arg;
}

static void *second(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  while (!ready) pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
  inv_step(3);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
