// verdict: race
// race: write A, read B
// Nothing orders a detached thread with the one that made it.
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
  pthread_detach(thread);
  inv_step(1);
  keep(shared); /* B */
}
