// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// mkstemp completes the name.
#include <stdlib.h>
#include <unistd.h>

#include "../two.h"

char shared[] = "fileXXXXXX";

static void *first(void *arg) {
  keep(shared[9]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int fd = mkstemp(shared); /* B */
  close(fd);
  unlink(shared);
  return arg;
}

int main(void) { run_two(first, second); }
