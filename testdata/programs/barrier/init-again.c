// verdict: none
// A barrier is destroyed and made anew for another number of threads.
#include "../two.h"

pthread_barrier_t barrier;
int shared;

static void *first(void *arg) {
  shared = 1;
  pthread_barrier_wait(&barrier);
  return arg;
}

static void *second(void *arg) {
  pthread_barrier_wait(&barrier);
  keep(shared);
  return arg;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&barrier, 0, 2);
  run_two(first, second);
  pthread_barrier_destroy(&barrier);
  pthread_barrier_init(&barrier, 0, 3);
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_create(&threads[2], 0, second, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&barrier);
}
