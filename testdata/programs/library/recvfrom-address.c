// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// recvfrom writes who sent it.
#include <netinet/in.h>
#include <sys/socket.h>

#include "../two.h"

struct sockaddr_in shared, own;
int fd;

static void *first(void *arg) {
  keep(shared.sin_family); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char byte;
  socklen_t length = sizeof shared;
  sendto(fd, "x", 1, 0, (struct sockaddr *)&own, sizeof own);
  keep(recvfrom(fd, &byte, 1, 0, (struct sockaddr *)&shared, &length)); /* B */
  return arg;
}

int main(void) {
  socklen_t length = sizeof own;
  fd = socket(AF_INET, SOCK_DGRAM, 0);
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(fd, (struct sockaddr *)&own, sizeof own);
  getsockname(fd, (struct sockaddr *)&own, &length);
  run_two(first, second);
}
