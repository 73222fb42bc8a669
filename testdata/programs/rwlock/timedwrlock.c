// verdict: none
// A write lock with a deadline that is met.
#define _GNU_SOURCE
#include <time.h>

#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_rwlock_wrlock(&lock);
  inv_step(0);
  shared = 1;
  pthread_rwlock_unlock(&lock);
  inv_step(1);
  return arg;
}

static void *second(void *arg) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 50;
  inv_wait(1);
  if (pthread_rwlock_timedwrlock(&lock, &deadline) != 0) return 0;
  keep(shared);
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void) { run_two(first, second); }
