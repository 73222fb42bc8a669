// verdict: none
// A destroyed mutex is initialised again and works like a new one.
#include "../two.h"

pthread_mutex_t mutex;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  shared += 1;
  pthread_mutex_unlock(&mutex);
  inv_advance();
  return arg;
}

static void *second(void *arg) {
  inv_wait(inv_now() | 1);
  pthread_mutex_lock(&mutex);
  shared += 1;
  pthread_mutex_unlock(&mutex);
  inv_advance();
  return arg;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_init(&mutex, 0);
    run_two(first, second);
    pthread_mutex_destroy(&mutex);
  }
  return shared - 6;
}
