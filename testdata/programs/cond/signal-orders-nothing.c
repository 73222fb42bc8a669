// verdict: race
// race: write A, read B
// A signal that nobody waits for, and a mutex that the signaller never held: no order.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  pthread_cond_signal(&cond);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&cond);
  keep(shared); /* B */
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) { run_two(first, second); }
