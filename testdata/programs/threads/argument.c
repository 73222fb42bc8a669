// verdict: race
// race: read A, write B
// The address of the loop counter is given to a thread while the loop goes on.
#include "../two.h"

static void *reader(void *arg) {
  keep(*(int *)arg); /* A */
  inv_step(0);
  return 0;
}

static NOINLINE void next(int *counter) {
  *counter = 1; /* B */
}

int main(void) {
  pthread_t thread;
  int counter = 0;
  pthread_create(&thread, 0, reader, &counter);
  inv_step(1);
  next(&counter);
  pthread_join(thread, 0);
}
