// verdict: race
// race: write A, read B
// What a thread does after it created another is not ordered with the other.
#include "../two.h"

int shared;

static void *reader(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  shared = 1; /* A */
  inv_step(0);
  pthread_join(thread, 0);
}
