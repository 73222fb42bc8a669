// verdict: none
// A mapping is moved to where another one was: what happened there before is forgotten.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../two.h"

enum { SIZE = 4096 };
char *place, *own;

static void *first(void *arg) {
  place[0] = 1;
  keep(place[opaque(0)]);
  munmap(place, SIZE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *moved = mremap(own, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved != place) __builtin_trap();
  moved[0] = 2;
  keep(moved[opaque(0)]);
  munmap(moved, SIZE);
  return arg;
}

int main(void) {
  char *found = mmap(0, 16 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  place = mmap(found + 4 * SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  own = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
}
