// verdict: none
// A thread holds the lock for reading twice; it is free only after the second unlock.
#include "../two.h"

pthread_rwlock_t lock;
int shared;

static void *first(void *arg) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  inv_step(0);
  keep(shared);
  pthread_rwlock_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_rwlock_wrlock(&lock);
  shared = 1;
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_rwlock_init(&lock, 0);
  run_two(first, second);
  pthread_rwlock_destroy(&lock);
}
