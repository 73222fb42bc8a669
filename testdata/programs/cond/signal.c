// verdict: none
// The classic: wait for a flag under a mutex, signal after setting it.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready, shared;

static void *first(void *arg) {
  inv_step(1);
  shared = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  while (!ready) pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
