// verdict: lock-order-inversion
// A cycle of three locks over three threads.
#include "../two.h"

pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *worker(void *arg) {
  long number = (long)arg;
  inv_wait(number);
  pthread_mutex_lock(&locks[number]);
  pthread_mutex_lock(&locks[(number + 1) % 3]);
  pthread_mutex_unlock(&locks[(number + 1) % 3]);
  pthread_mutex_unlock(&locks[number]);
  inv_step(number);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
