// verdict: none
// A wait with a deadline that is met.
#include <time.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready, shared;

static void *first(void *arg) {
  inv_step(1);
  shared = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&cond);
  return arg;
}

static void *second(void *arg) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 50;
  pthread_mutex_lock(&mutex);
  inv_step(0);
  while (!ready) pthread_cond_timedwait(&cond, &mutex, &deadline);
  pthread_mutex_unlock(&mutex);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
