// verdict: race
// race: write A, read B
// A write before a read lock, a read after a later read lock: readers do not order each other.
#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
