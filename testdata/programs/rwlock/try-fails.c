// verdict: race
// race: write A, read B
// Locks that are tried and refused order nothing.
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
  inv_step(1);
  if (pthread_rwlock_tryrdlock(&lock) == 0 || pthread_rwlock_trywrlock(&lock) == 0) return 0;
  keep(shared); /* B */
  inv_step(2);
  return arg;
}

int main(void) { run_two(first, second); }
