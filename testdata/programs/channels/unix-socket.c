// verdict: none
// Over a socket with a path: connect and accept, then a byte.
#define _GNU_SOURCE
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../two.h"

int listener, shared;
struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};

static void *client(void *arg) {
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  shared = 1;
  if (connect(end, (struct sockaddr *)&address, sizeof address) != 0 || send(end, "1", 1, 0) != 1) __builtin_trap();
  close(end);
  return arg;
}

static void *server(void *arg) {
  char byte;
  int end = accept4(listener, 0, 0, SOCK_CLOEXEC);
  if (recv(end, &byte, 1, 0) != 1) __builtin_trap();
  keep(shared);
  close(end);
  return arg;
}

int main(void) {
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(address.sun_path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) return 1;
  run_two(client, server);
  unlink(address.sun_path);
}
