// verdict: none
// A cancelled wait holds the mutex again when the cleanup handlers run.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int shared;

static void unlock(void *arg) {
  shared = 1;
  pthread_mutex_unlock(arg);
}

static void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  inv_step(0);
  for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  inv_step(1);
  pthread_mutex_lock(&mutex);
  shared = 2;
  pthread_cancel(thread);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  if (pthread_mutex_trylock(&mutex) != 0) return 1;
  pthread_mutex_unlock(&mutex);
  return shared - 1;
}
