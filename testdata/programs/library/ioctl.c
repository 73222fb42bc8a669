// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// FIONREAD writes how much can be read.
#include <sys/ioctl.h>
#include <unistd.h>

#include "../two.h"

int ends[2], shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(ioctl(ends[0], FIONREAD, &shared)); /* B */
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
