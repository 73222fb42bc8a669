// verdict: none
// tsan: false alarm; it does not see what this orders
// Who is told that there is something knows what was done before it was written.
#include <poll.h>
#include <unistd.h>

#include "../two.h"

int ends[2], shared;

static void *first(void *arg) {
  shared = 7;
  if (write(ends[1], "x", 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  if (poll(&wanted, 1, -1) != 1) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
