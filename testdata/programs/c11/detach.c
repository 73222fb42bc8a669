// verdict: race
// race: write A, read B
// tsan: unsteady; it does not know the threads of C11
// A detached thread of C11.
#include <threads.h>

#include "../invisible.h"

int shared;

static int worker(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg != 0;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, worker, 0);
  thrd_detach(thread);
  inv_step(1);
  keep(shared); /* B */
}
