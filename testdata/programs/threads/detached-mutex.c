// verdict: none
// A detached thread that detaches itself and hands over its result under a mutex.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *writer(void *arg) {
  pthread_detach(pthread_self());
  pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  inv_step(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  inv_step(1);
  pthread_mutex_lock(&mutex);
  keep(shared);
  pthread_mutex_unlock(&mutex);
}
