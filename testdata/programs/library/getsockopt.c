// verdict: race
// race: read A, write B
// getsockopt writes the value.
#include <sys/socket.h>

#include "../two.h"

int shared, ends[2];

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  socklen_t length = sizeof shared;
  keep(getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &shared, &length)); /* B */
  return arg;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  run_two(first, second);
}
