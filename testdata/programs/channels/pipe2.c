// verdict: none
// A pipe that does not block, asked until there is something.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (write(ends[1], &message, 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  while (read(ends[0], &message, 1) != 1) inv_yield();
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return 1;
  run_two(first, second);
}
