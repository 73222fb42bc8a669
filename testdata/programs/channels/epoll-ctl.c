// verdict: none
// Who adds a descriptor to an epoll set hands over what it did before to who waits.
#include <sys/epoll.h>
#include <unistd.h>

#include "../two.h"

int ends[2], set;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  struct epoll_event wanted = {.events = EPOLLOUT};
  epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &wanted);
  keep(message);
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
  if (pipe(ends) != 0) return 1;
  set = epoll_create1(0);
  run_two(first, second);
}
