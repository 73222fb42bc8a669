// verdict: none
// A writer, then a reader.
#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_rwlock_wrlock(&lock);
  shared = 1;
  pthread_rwlock_unlock(&lock);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_rwlock_rdlock(&lock);
  keep(shared);
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void) { run_two(first, second); }
