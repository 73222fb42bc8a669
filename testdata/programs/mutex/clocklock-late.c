// verdict: race
// race: write A, write B
// A lock by the monotonic clock that fails.
#define _GNU_SOURCE
#include <time.h>

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
  struct timespec past = {0, 1};
  inv_step(1);
  pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past);
  shared = 2; /* B */
  inv_step(2);
  return arg;
}

int main(void) { run_two(first, second); }
