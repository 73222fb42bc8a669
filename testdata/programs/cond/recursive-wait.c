// verdict: none
// A wait gives up a recursive mutex that is held once, and takes it again.
#define _GNU_SOURCE
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready, shared;

static void *first(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  ready = shared = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void *second(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  while (!ready) pthread_cond_wait(&cond, &mutex);
  shared = 2;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) { run_two(first, second); }
