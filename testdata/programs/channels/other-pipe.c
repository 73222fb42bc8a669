// verdict: race
// race: write A, read B
// One pipe has nothing to do with another.
#include <unistd.h>

#include "../two.h"

int one[2], two[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1; /* A */
  if (write(one[1], &message, 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  inv_step(1);
  if (read(two[0], &message, 1) != 1) return 0;
  keep(shared); /* B */
  return arg;
}

int main(void) {
  char message = 5;
  if (pipe(one) != 0 || pipe(two) != 0) return 1;
  if (write(two[1], &message, 1) != 1) return 2;
  run_two(first, second);
}
