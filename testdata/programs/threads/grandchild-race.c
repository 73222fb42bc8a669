// verdict: race
// race: write A, read B
// The child is joined, but the grandchild that it left behind is not.
#include "../two.h"

int shared;

static void *grandchild(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *child(void *arg) {
  pthread_t thread;
  pthread_create(&thread, 0, grandchild, 0);
  pthread_detach(thread);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, child, 0);
  pthread_join(thread, 0);
  inv_step(1);
  keep(shared); /* B */
}
