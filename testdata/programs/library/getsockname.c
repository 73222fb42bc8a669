// verdict: race
// race: read A, write B
// getsockname writes the address.
#include <netinet/in.h>
#include <sys/socket.h>

#include "../two.h"

struct sockaddr_in shared;
int listener;

static void *first(void *arg) {
  keep(shared.sin_family); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  socklen_t length = sizeof shared;
  keep(getsockname(listener, (struct sockaddr *)&shared, &length)); /* B */
  return arg;
}

int main(void) {
  listener = socket(AF_INET, SOCK_STREAM, 0);
  run_two(first, second);
}
