// verdict: race
// race: write A, write B
// Each thread holds a mutex, but not the same one.
#include "../two.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&one);
  shared = 1; /* A */
  pthread_mutex_unlock(&one);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&two);
  shared = 2; /* B */
  pthread_mutex_unlock(&two);
  return arg;
}

int main(void) { run_two(first, second); }
