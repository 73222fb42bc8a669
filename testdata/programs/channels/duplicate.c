// verdict: none
// tsan: false alarm; it does not know that fcntl can duplicate
// A duplicate of a descriptor is the same channel.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

int ends[2], copies[3];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (write(copies[1], &message, 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  if (read(copies[0], &message, 1) != 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  copies[0] = dup(ends[0]);
  copies[1] = fcntl(ends[1], F_DUPFD_CLOEXEC, 50);
  copies[2] = dup2(ends[1], 60);
  close(ends[1]);
  close(copies[2]);
  run_two(first, second);
}
