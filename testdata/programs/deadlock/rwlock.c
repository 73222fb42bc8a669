// verdict: lock-order-inversion
// A readers-writer lock and a mutex in both orders.
#include "../two.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  pthread_rwlock_wrlock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_rwlock_unlock(&a);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&b);
  pthread_rwlock_wrlock(&a);
  pthread_rwlock_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}

int main(void) { run_two(first, second); }
