// verdict: none
// A mutex that checks refuses a second lock; the program handles it, so there is nothing to report.
#include <errno.h>

#include "../two.h"

pthread_mutex_t mutex;
int shared, refused;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  refused = pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  inv_step(0);
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
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attr);
  run_two(first, second);
  pthread_mutex_destroy(&mutex);
  return refused == EDEADLK ? 0 : 1;
}
