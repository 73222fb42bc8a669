// verdict: none
// Over TCP on the loopback: connect and accept, then a byte.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../two.h"

int listener, shared;
struct sockaddr_in address;

static void *client(void *arg) {
  int end = socket(AF_INET, SOCK_STREAM, 0);
  shared = 1;
  if (connect(end, (struct sockaddr *)&address, sizeof address) != 0 || write(end, "1", 1) != 1) __builtin_trap();
  close(end);
  return arg;
}

static void *server(void *arg) {
  char byte;
  int end = accept(listener, 0, 0);
  if (read(end, &byte, 1) != 1) __builtin_trap();
  keep(shared);
  close(end);
  return arg;
}

int main(void) {
  socklen_t size = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) return 1;
  if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) return 2;
  run_two(client, server);
  close(listener);
}
