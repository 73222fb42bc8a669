// verdict: race
// race: write A, read B
// A join that fails orders nothing.
#define _GNU_SOURCE
#include <errno.h>

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
  pthread_create(&thread, 0, writer, 0);
  inv_step(1);
  if (pthread_tryjoin_np(thread, 0) != EBUSY) return 1;
  keep(shared); /* B */
  inv_step(2);
  pthread_join(thread, 0);
}
