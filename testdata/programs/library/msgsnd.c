// verdict: none
// tsan: false alarm; it does not see what this orders
// What was done before a message was sent happens before it is received.
#include <sys/ipc.h>
#include <sys/msg.h>

#include "../two.h"

int queue, shared;

static void *first(void *arg) {
  struct { long kind; char text[1]; } message = {1, {'x'}};
  shared = 7;
  msgsnd(queue, &message, 1, 0);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct { long kind; char text[1]; } message;
  if (msgrcv(queue, &message, 1, 0, 0) != 1) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  run_two(first, second);
  msgctl(queue, IPC_RMID, 0);
}
