// verdict: race
// race: write A, read B
// write reads its buffer, which another thread uses.
#include <unistd.h>

#include "../two.h"

int ends[2];
char shared[8];

static void *first(void *arg) {
  shared[3] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (write(ends[1], shared, opaque(8)) != 8) return 0; /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
