// verdict: none
// A byte through a pair of sockets.
#include <sys/socket.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (send(ends[1], &message, 1, 0) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  if (recv(ends[0], &message, 1, 0) != 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  run_two(first, second);
}
