// verdict: lock-order-inversion
// Only one of the threads holds the gate.
#include "../two.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;

static void lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static void unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }

static void *first(void *arg) {
  lock(&gate);
  lock(&a);
  lock(&b);
  unlock(&b);
  unlock(&a);
  unlock(&gate);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  lock(&b);
  lock(&a);
  unlock(&a);
  unlock(&b);
  return arg;
}

int main(void) { run_two(first, second); }
