// verdict: none
// tsan: false alarm; only the read that follows orders
// The wait of epoll is enough: what made the descriptor ready happens before its return.
#include <sys/epoll.h>
#include <unistd.h>

#include "../two.h"

int ends[2], set;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (write(ends[1], &message, 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  struct epoll_event event;
  if (epoll_wait(set, &event, 1, -1) != 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  struct epoll_event wanted = {.events = EPOLLIN};
  if (pipe(ends) != 0) return 1;
  set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &wanted);
  run_two(first, second);
}
