// verdict: none
// readlink does not write what lies behind the link.
#include <unistd.h>

#include "../two.h"

char shared[8192];

static void *first(void *arg) {
  shared[8000] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(readlink("/proc/self/exe", shared, sizeof shared));
  return arg;
}

int main(void) { run_two(first, second); }
