// verdict: none
// tsan: unsteady; it does not know the threads of C11
// A mtx_t with a deadline that is met.
#include <threads.h>
#include <time.h>

#include "../invisible.h"

mtx_t mutex;
int shared;

static int first(void *arg) {
  mtx_lock(&mutex);
  inv_step(0);
  shared = 1;
  mtx_unlock(&mutex);
  return arg != 0;
}

static int second(void *arg) {
  struct timespec deadline;
  timespec_get(&deadline, TIME_UTC);
  deadline.tv_sec += 50;
  inv_step(1);
  if (mtx_timedlock(&mutex, &deadline) != thrd_success) return 1;
  shared = 2;
  mtx_unlock(&mutex);
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  mtx_init(&mutex, mtx_timed);
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
  mtx_destroy(&mutex);
  return shared - 2;
}
