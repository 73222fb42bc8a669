// verdict: none
// tsan: false alarm; it does not know mremap
// A mapping is moved away; what is moved into its old place later has nothing to do with it.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../two.h"

enum { SIZE = 4096 };
char *place, *own;

static void *first(void *arg) {
  place[0] = 1;
  char *moved = mremap(place, SIZE, 64 * SIZE, MREMAP_MAYMOVE);
  if (moved[0] != 1) __builtin_trap();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *moved = mremap(own, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved != place) __builtin_trap();
  moved[0] = 2;
  return arg;
}

int main(void) {
  char *found = mmap(0, 16 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  place = mmap(found + 4 * SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  own = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
}
