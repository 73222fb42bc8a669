// verdict: none
// Two threads fight for the mutex many times.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 2000; i++) {
    pthread_mutex_lock(&mutex);
    shared += 1;
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  run_two(worker, worker);
  return shared - 4000;
}
