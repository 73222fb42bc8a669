// verdict: none
// A lock with a deadline that is met.
#include <time.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 50;
  inv_step(1);
  if (pthread_mutex_timedlock(&mutex, &deadline) == 0) {
    shared = 2;
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  run_two(first, second);
  return shared - 2;
}
