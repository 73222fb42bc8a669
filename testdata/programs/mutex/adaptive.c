// verdict: none
// The kind of mutex that spins before it sleeps.
#define _GNU_SOURCE
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 200; i++) {
    pthread_mutex_lock(&mutex);
    shared += 1;
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  run_two(worker, worker);
  return shared - 400;
}
