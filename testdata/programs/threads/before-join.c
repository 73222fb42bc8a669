// verdict: race
// race: write A, read B
// The thread has long ended, but nobody has joined it yet.
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  inv_step(1);
  keep(shared); /* B */
  pthread_join(thread, 0);
}
