// verdict: race
// race: write A, read B
// Who is told that there is nothing knows nothing.
#include <poll.h>
#include <unistd.h>

#include "../two.h"

int ends[2], other[2], shared;

static void *first(void *arg) {
  shared = 7; /* A */
  if (write(other[1], "x", 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  if (poll(&wanted, 1, 0) != 0) return 0;
  keep(shared); /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0 || pipe(other) != 0) return 1;
  run_two(first, second);
}
