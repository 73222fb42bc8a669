// verdict: none
// Two threads take turns with an array, a barrier between the rounds.
#include "../two.h"

pthread_barrier_t barrier;
int shared[2];

static void work(int self) {
  for (int round = 0; round < 50; round++) {
    shared[(self + round) % 2] += 1;
    pthread_barrier_wait(&barrier);
  }
}

static void *first(void *arg) {
  work(0);
  return arg;
}

static void *second(void *arg) {
  work(1);
  return arg;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 2);
  run_two(first, second);
  pthread_barrier_destroy(&barrier);
  return shared[0] + shared[1] - 100;
}
