// verdict: race
// race: write A, read B
// What is written after the message was sent is not handed over.
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  if (write(ends[1], &message, 1) != 1) return 0;
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  inv_step(1);
  if (read(ends[0], &message, 1) != 1) return 0;
  keep(shared); /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
