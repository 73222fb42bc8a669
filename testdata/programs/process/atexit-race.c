// verdict: race
// race: write A, read B
// A handler of atexit reads what a thread that nobody joined has written.
#include <stdlib.h>

#include "../two.h"

int shared;

static void late(void) {
  keep(shared); /* B */
}

static void *worker(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(1000);
  return arg;
}

int main(void) {
  pthread_t thread;
  atexit(late);
  pthread_create(&thread, 0, worker, 0);
  pthread_detach(thread);
  inv_step(1);
}
