// verdict: none
// poll does not write what it was asked.
#include <poll.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
struct pollfd shared;

static void *first(void *arg) {
  keep(shared.fd);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(poll(&shared, 1, 0));
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  shared.fd = ends[0];
  run_two(first, second);
}
