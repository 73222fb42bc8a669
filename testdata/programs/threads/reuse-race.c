// verdict: race
// race: write A, write B
// A thread that takes the place of one that ended, but that nobody joined, is not ordered after it.
#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  shared = 2; /* B */
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, first, 0);
  pthread_detach(thread);
  inv_step(1);
  for (int i = 0; i < 1000; i++) inv_yield();
  pthread_create(&thread, 0, second, 0);
  pthread_join(thread, 0);
}
