// verdict: race
// race: write A, read B
// Locks whose deadline passes order nothing.
#include <time.h>

#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_rwlock_wrlock(&lock);
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  pthread_rwlock_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
  struct timespec past = {1, 0};
  inv_step(1);
  if (pthread_rwlock_timedrdlock(&lock, &past) == 0 || pthread_rwlock_timedwrlock(&lock, &past) == 0) return 0;
  keep(shared); /* B */
  inv_step(2);
  return arg;
}

int main(void) { run_two(first, second); }
