// verdict: none
// tsan: false alarm; it does not look at gates
// Both orders are taken, but only under a gate lock: no two threads can be there at once.
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
  lock(&gate);
  lock(&b);
  lock(&a);
  unlock(&a);
  unlock(&b);
  unlock(&gate);
  return arg;
}

int main(void) { run_two(first, second); }
