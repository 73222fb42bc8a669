// verdict: race
// race: write A, write B
// A thread-local variable whose address was given away is shared memory.
#include "../two.h"

static __thread int local;

static void *other(void *arg) {
  *(int *)arg = 1; /* A */
  inv_step(0);
  return 0;
}

static NOINLINE void set(int *own) {
  *own = 2; /* B */
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, &local);
  inv_step(1);
  set(&local);
  pthread_join(thread, 0);
}
