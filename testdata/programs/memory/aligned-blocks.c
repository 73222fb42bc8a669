// verdict: none
// posix_memalign, aligned_alloc and memalign give aligned, fresh blocks.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "../two.h"

static void use(void) {
  for (int i = 0; i < 50; i++) {
    void *blocks[3];
    if (posix_memalign(&blocks[0], 64, 100) != 0) abort();
    blocks[1] = aligned_alloc(256, 512);
    blocks[2] = memalign(4096, 10);
    if ((uintptr_t)blocks[0] % 64 || (uintptr_t)blocks[1] % 256 || (uintptr_t)blocks[2] % 4096) abort();
    for (int j = 0; j < 3; j++) {
      *(char *)blocks[j] = 1;
      keep(*(char *)blocks[j]);
      free(blocks[j]);
    }
  }
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main(void) { run_two(first, second); }
