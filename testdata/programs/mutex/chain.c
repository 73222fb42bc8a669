// verdict: none
// Order is transitive: one mutex orders the first two threads, another the last two.
#include "../two.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1;
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  inv_step(2);
  return arg;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  inv_step(3);
  pthread_mutex_lock(&two);
  shared = 2;
  pthread_mutex_unlock(&two);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
