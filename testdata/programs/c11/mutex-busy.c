// verdict: race
// race: write A, read B
// tsan: unsteady; it does not know the threads of C11
// A mtx_t that was tried in vain.
#include <threads.h>

#include "../invisible.h"

mtx_t mutex;
int shared;

static int first(void *arg) {
  mtx_lock(&mutex);
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  mtx_unlock(&mutex);
  return arg != 0;
}

static int second(void *arg) {
  inv_step(1);
  if (mtx_trylock(&mutex) != thrd_busy) return 1;
  keep(shared); /* B */
  inv_step(2);
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  mtx_init(&mutex, mtx_plain);
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
  mtx_destroy(&mutex);
}
