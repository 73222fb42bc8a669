// verdict: race
// race: write A, read B
// Memory from mmap races like any other.
#include <sys/mman.h>

#include "../two.h"

int *shared;

static void *first(void *arg) {
  shared[100] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared[100]); /* B */
  return arg;
}

int main(void) {
  shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
  munmap(shared, 4096);
}
