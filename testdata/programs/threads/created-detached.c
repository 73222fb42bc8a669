// verdict: race
// race: write A, read B
// A thread that is detached from its start by an attribute.
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, &attr, writer, 0);
  pthread_attr_destroy(&attr);
  inv_step(1);
  keep(shared); /* B */
}
