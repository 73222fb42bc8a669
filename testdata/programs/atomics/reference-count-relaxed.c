// verdict: race
// race: write A, write B
// Relaxed decrements: the free races with the other thread's use.
#include <stdlib.h>

#include "../two.h"

int references = 2;
int *object;

static void *first(void *arg) {
  *object = 1; /* A */
  __atomic_fetch_sub(&references, 1, __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (__atomic_fetch_sub(&references, 1, __ATOMIC_RELAXED) == 1)
    free(object); /* B */
  return arg;
}

int main(void) {
  object = malloc(sizeof *object);
  run_two(first, second);
}
