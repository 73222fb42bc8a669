// verdict: race
// race: write A, write B
// After its last unlock a recursive mutex protects no more.
#define _GNU_SOURCE
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
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
