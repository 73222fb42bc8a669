// verdict: race
// race: read A, write B
// readlink writes as many bytes as the link has.
#include <unistd.h>

#include "../two.h"

char shared[4096];

static void *first(void *arg) {
  keep(shared[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(readlink("/proc/self/exe", shared, sizeof shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
