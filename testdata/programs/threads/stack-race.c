// verdict: race
// race: write A, read B
// A thread writes into the stack frame of another.
#include "../two.h"

static void *writer(void *arg) {
  *(int *)arg = 1; /* A */
  inv_step(0);
  return 0;
}

static NOINLINE void get(int *place) {
  keep(*place); /* B */
}

int main(void) {
  pthread_t thread;
  int local = 0;
  pthread_create(&thread, 0, writer, &local);
  inv_step(1);
  get(&local);
  pthread_join(thread, 0);
}
