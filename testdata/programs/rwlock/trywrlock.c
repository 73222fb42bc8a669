// verdict: none
// A write lock that is tried and taken.
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
  inv_wait(2);
  if (pthread_rwlock_trywrlock(&lock) != 0) return 0;
  keep(shared);
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void) { run_two(first, second); }
