// verdict: none
// Three hundred threads alive at once, more than TSan has places for, count under one mutex.
#include "../two.h"

enum { THREADS = 300 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *worker(void *arg) {
  pthread_mutex_lock(&mutex);
  shared += 1;
  pthread_mutex_unlock(&mutex);
  inv_advance();
  inv_wait(THREADS);
  return arg;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  return shared - THREADS;
}
