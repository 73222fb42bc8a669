// verdict: race
// race: write A, read B
// The cleanup handler of a cancelled thread races like any other code of it.
#include <unistd.h>

#include "../two.h"

int shared;

static void cleanup(void *arg) {
  (void)arg;
  shared = 1; /* A */
  inv_step(2);
}

static void *waiter(void *arg) {
  pthread_cleanup_push(cleanup, 0);
  inv_step(0);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  inv_step(1);
  pthread_cancel(thread);
  inv_step(3);
  keep(shared); /* B */
  pthread_join(thread, 0);
}
