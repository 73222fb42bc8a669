// verdict: none
// One thread of each round is told to do the work that only one may do.
#include "../two.h"

pthread_barrier_t barrier;
int shared;

static void *worker(void *arg) {
  for (int round = 0; round < 20; round++) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) shared += 1;
    pthread_barrier_wait(&barrier);
    keep(shared);
    pthread_barrier_wait(&barrier);
  }
  return arg;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 2);
  run_two(worker, worker);
  pthread_barrier_destroy(&barrier);
  return shared - 20;
}
