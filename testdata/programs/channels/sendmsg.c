// verdict: none
// A message with sendmsg and recvmsg.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  struct iovec piece = {&message, 1};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
  if (sendmsg(ends[1], &header, 0) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  struct iovec piece = {&message, 1};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
  if (recvmsg(ends[0], &header, 0) != 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  run_two(first, second);
}
