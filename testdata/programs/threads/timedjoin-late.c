// verdict: race
// race: write A, read B
// A join whose deadline passes orders nothing.
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  return arg;
}

int main(void) {
  pthread_t thread;
  struct timespec past = {1, 0};
  pthread_create(&thread, 0, writer, 0);
  inv_step(1);
  if (pthread_timedjoin_np(thread, 0, &past) != ETIMEDOUT) return 1;
  keep(shared); /* B */
  inv_step(2);
  pthread_join(thread, 0);
}
