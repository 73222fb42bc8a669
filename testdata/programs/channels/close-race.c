// verdict: race
// race: read A, write B
// A thread closes a descriptor that another still writes to: the next open may give the number to somebody else.
#include <unistd.h>

#include "../two.h"

int ends[2];

static void *first(void *arg) {
  if (write(ends[1], "1", 1) != 1) return 0; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  close(ends[1]); /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
