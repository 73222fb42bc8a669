// verdict: none
// tsan: false alarm; it does not see what this orders
// As poll, so select.
#include <sys/select.h>
#include <unistd.h>

#include "../two.h"

int ends[2], shared;

static void *first(void *arg) {
  shared = 7;
  if (write(ends[1], "x", 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(ends[0], &wanted);
  if (select(ends[0] + 1, &wanted, 0, 0, 0) != 1) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
