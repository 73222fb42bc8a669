// verdict: none
// Both threads take the locks in the same order.
#include "../two.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static void unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }

static void *first(void *arg) {
  lock(&a);
  lock(&b);
  unlock(&b);
  unlock(&a);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  lock(&a);
  lock(&b);
  unlock(&b);
  unlock(&a);
  return arg;
}

int main(void) { run_two(first, second); }
