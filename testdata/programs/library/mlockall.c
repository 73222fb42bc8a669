// verdict: none
// Memory can be locked, shadow memory or not.
#include <stdlib.h>
#include <sys/mman.h>

#include "../two.h"

static void *first(void *arg) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) exit(1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(malloc(1 << 20));
  return arg;
}

int main(void) { run_two(first, second); }
