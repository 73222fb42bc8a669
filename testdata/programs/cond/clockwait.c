// verdict: none
// A wait on the clock of the caller's choice, and one on the clock of the attribute's.
#define _GNU_SOURCE
#include <time.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond;
int ready, shared;

static void *first(void *arg) {
  inv_step(1);
  for (int i = 1; i <= 2; i++) {
    pthread_mutex_lock(&mutex);
    shared = i;
    ready = i;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

static void *second(void *arg) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 50;
  pthread_mutex_lock(&mutex);
  inv_step(0);
  while (ready < 1) pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &deadline);
  keep(shared);
  while (ready < 2) pthread_cond_timedwait(&cond, &mutex, &deadline);
  keep(shared);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&cond, &attr);
  pthread_condattr_destroy(&attr);
  run_two(first, second);
  pthread_cond_destroy(&cond);
}
