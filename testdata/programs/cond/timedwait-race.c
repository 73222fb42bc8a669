// verdict: race
// race: write A, read B
// Nobody signalled: the wait ended by its deadline, and the data was never handed over.
#include <time.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  struct timespec past = {1, 0};
  inv_step(1);
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&cond, &mutex, &past);
  keep(shared); /* B */
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) { run_two(first, second); }
