// verdict: race
// race: write A, read B
// tsan: unsteady; it does not know the threads of C11
// Two threads of C11 without any order.
#include <threads.h>

#include "../invisible.h"

int shared;

static int first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg != 0;
}

static int second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
}
