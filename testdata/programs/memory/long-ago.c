// verdict: race
// race: write A, read B
// stack: A put far_away first
// tsan: unsteady; it forgets the stack of an access that long ago, and with it the race
// The earlier access lies ten million accesses back.
#include "../two.h"

int shared;
long other[1024];

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static NOINLINE void far_away(void) { put(); }

static NOINLINE void touch(long *place) { *place += 1; }

static void *first(void *arg) {
  far_away();
  for (int i = 0; i < 5000000; i++) touch(&other[i % 1024]);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
