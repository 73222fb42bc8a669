// verdict: none
// A mutex whose owner inherits the priority of those who wait for it.
#define _GNU_SOURCE
#include "../two.h"

pthread_mutex_t mutex;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  shared = 2;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&mutex, &attr);
  run_two(first, second);
  pthread_mutex_destroy(&mutex);
}
