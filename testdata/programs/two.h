// Two threads that run two functions, and a main thread that waits for both.
#ifndef TWO_H
#define TWO_H

#include <pthread.h>

#include "invisible.h"

static inline __attribute__((unused)) void run_two(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}

// Whoever comes through the mutex knows what all have done who came through before.
static inline __attribute__((unused)) void pass_through(pthread_mutex_t *mutex) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
}

#endif
