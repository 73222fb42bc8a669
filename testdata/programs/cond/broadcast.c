// verdict: none
// A broadcast wakes all who wait.
#include "../two.h"

pthread_mutex_t mutex;
pthread_cond_t cond;
int ready, shared;

static void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_advance();
  while (!ready) pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
  keep(shared);
  return arg;
}

int main(void) {
  pthread_t threads[4];
  pthread_mutex_init(&mutex, 0);
  pthread_cond_init(&cond, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, waiter, 0);
  inv_wait(4);
  shared = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&cond);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  pthread_cond_destroy(&cond);
  pthread_mutex_destroy(&mutex);
}
