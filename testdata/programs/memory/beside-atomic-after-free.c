// verdict: race
// race: write A, read B
// A thread writes a number beside an atomic one, frees the block, and writes to the next one, at the same address, within one epoch: that it did so before says nothing about the new block.
#include <stdatomic.h>
#include <stdlib.h>

#include "../two.h"

struct pair {
  atomic_int counter;
  int number;
};
static struct pair *shared;

/* Passes the block on in a way that no detector sees. */
INV_INLINE void pass(struct pair *block) { __asm__ volatile("movq %1, %0" : "=m"(shared) : "r"(block) : "memory"); }
INV_INLINE struct pair *passed(void) {
  struct pair *block;
  __asm__ volatile("movq %1, %0" : "=r"(block) : "m"(shared) : "memory");
  return block;
}

NOINLINE static void fill(struct pair *block) {
  atomic_load_explicit(&block->counter, memory_order_relaxed);
  block->number = 1; /* A */
}

static void *first(void *arg) {
  struct pair *blocks[64];
  struct pair *block = malloc(sizeof *block);
  fill(block);
  free(block);
  // The heap may hand out others first.
  for (int i = 0; i < 64; i++) {
    blocks[i] = malloc(sizeof **blocks);
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
  keep(passed()->number); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
