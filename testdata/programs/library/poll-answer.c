// verdict: race
// race: read A, write B
// poll writes what has happened.
#include <poll.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
struct pollfd shared;

static void *first(void *arg) {
  keep(shared.revents); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(poll(&shared, 1, 0)); /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  shared.fd = ends[0];
  run_two(first, second);
}
