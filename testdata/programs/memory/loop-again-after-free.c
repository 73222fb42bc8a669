// verdict: race
// race: write A, read B
// A thread fills a block, frees it, and fills the next one, at the same address, within one epoch: that it did so before says nothing about the new block.
#include <stdlib.h>

#include "../two.h"

enum { COUNT = 128 };
static long *shared;

/* Passes the block on in a way that no detector sees. */
INV_INLINE void pass(long *block) { __asm__ volatile("movq %1, %0" : "=m"(shared) : "r"(block) : "memory"); }
INV_INLINE long *passed(void) {
  long *block;
  __asm__ volatile("movq %1, %0" : "=r"(block) : "m"(shared) : "memory");
  return block;
}

NOINLINE static void fill(long *block) {
  for (long i = 0; i < COUNT; i++)
    block[i] = i; /* A */
}

static void *first(void *arg) {
  long *blocks[64];
  long *block = malloc(COUNT * sizeof *block);
  fill(block);
  free(block);
  // The heap may hand out others first.
  for (int i = 0; i < 64; i++) {
    blocks[i] = malloc(COUNT * sizeof **blocks);
    if (blocks[i] == block || i == 63) {
      fill(blocks[i]);
      pass(blocks[i]);
      break;
    }
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(passed()[COUNT / 2]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
