// verdict: race
// race: read A, write B
// A reader holds the lock, the writer does not.
#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_rwlock_rdlock(&lock);
  keep(shared); /* A */
  pthread_rwlock_unlock(&lock);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 1; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
