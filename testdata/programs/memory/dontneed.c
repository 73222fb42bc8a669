// verdict: none
// tsan: false alarm; it does not follow madvise
// A thread gives pages back by MADV_DONTNEED; who uses them next finds them fresh.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../two.h"

char *map;

static void *first(void *arg) {
  map[0] = 1;
  madvise(map, 4096, MADV_DONTNEED);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (map[0] != 0) __builtin_trap();
  map[0] = 2;
  return arg;
}

int main(void) {
  map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
  munmap(map, 4096);
}
