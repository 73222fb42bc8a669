// verdict: unlock-unlocked
// A thread unlocks the mutex of another.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  inv_step(0);
  inv_wait(2);
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  pthread_mutex_unlock(&mutex);
  inv_advance();
  return arg;
}

int main(void) { run_two(first, second); }
