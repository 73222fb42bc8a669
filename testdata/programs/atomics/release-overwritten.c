// verdict: race
// race: write A, read B
// A release store by another thread replaces the first one: the reader is ordered after the second alone.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1; /* A */
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __atomic_store_n(&flag, 2, __ATOMIC_RELEASE);
  inv_step(2);
  return arg;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  inv_step(3);
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2) keep(shared); /* B */
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
