// verdict: none
// The deadline passes: the mutex is held again, and that orders.
#include <errno.h>
#include <time.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int shared, result;

static void *first(void *arg) {
  inv_step(0);
  pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  struct timespec past = {1, 0};
  inv_wait(1);
  pthread_mutex_lock(&mutex);
  shared = 2;
  result = pthread_cond_timedwait(&cond, &mutex, &past);
  shared = 3;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  run_two(first, second);
  return result == ETIMEDOUT ? 0 : 1;
}
