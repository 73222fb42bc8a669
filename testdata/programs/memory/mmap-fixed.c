// verdict: none
// A mapping put over an older one takes its place: fresh memory.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../two.h"

char *map;

static void *first(void *arg) {
  map[0] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *over = mmap(map, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  over[0] = 1;
  keep(over[opaque(0)]);
  return arg;
}

int main(void) {
  map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
  munmap(map, 4096);
}
