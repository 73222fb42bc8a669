// verdict: race
// race: write A, read B
// That somebody connects says nothing of what another thread has written to another socket.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../two.h"

int listener, datagrams, shared;
struct sockaddr_in address, own;

static NOINLINE void put(void) { shared = 1; /* A */ }

static NOINLINE int take(void) { return shared; /* B */ }

static void *writer(void *arg) {
  inv_wait(1);
  put();
  if (write(datagrams, "1", 1) != 1) __builtin_trap();
  inv_step(1);
  return arg;
}

/* Connects before the other writes, and so knows nothing of it. */
static void *client(void *arg) {
  int end = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(end, (struct sockaddr *)&address, sizeof address) != 0) __builtin_trap();
  inv_step(0);
  inv_wait(3);
  close(end);
  return arg;
}

int main(void) {
  socklen_t size = sizeof address;
  pthread_t one, two;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) return 1;
  if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) return 2;
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(datagrams, (struct sockaddr *)&own, sizeof own) != 0) return 3;
  if (getsockname(datagrams, (struct sockaddr *)&own, &size) != 0) return 4;
  if (connect(datagrams, (struct sockaddr *)&own, sizeof own) != 0) return 5;
  pthread_create(&one, 0, writer, 0);
  pthread_create(&two, 0, client, 0);
  inv_wait(2);
  struct pollfd ready = {.fd = listener, .events = POLLIN};
  if (poll(&ready, 1, -1) != 1) return 6;
  int end = accept(listener, 0, 0);
  keep(take());
  inv_step(2);
  pthread_join(one, 0);
  pthread_join(two, 0);
  close(end);
  close(listener);
}
