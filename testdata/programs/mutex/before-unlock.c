// verdict: none
// The first access lies before an unlock, the second after the next lock: ordered, though no lock is held at the first.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  shared = 2;
  return arg;
}

int main(void) { run_two(first, second); }
