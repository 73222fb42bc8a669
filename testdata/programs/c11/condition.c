// verdict: none
// tsan: unsteady; it does not know the threads of C11
// A cnd_t and its signal.
#include <threads.h>

#include "../invisible.h"

mtx_t mutex;
cnd_t condition;
int ready;
int shared;

static int first(void *arg) {
  inv_step(1);
  shared = 1;
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  return arg != 0;
}

static int second(void *arg) {
  mtx_lock(&mutex);
  inv_step(0);
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  keep(shared);
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
}
