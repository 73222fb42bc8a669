// verdict: race
// race: write A, read B
// stack: A put first
// An exception unwinds instrumented frames; the stack of a later access is right.
#include "../two.h"

int shared;

static NOINLINE void put() {
  shared = 1; /* A */
}

static NOINLINE void deep(int depth) {
  if (depth == 0) throw depth;
  deep(depth - 1);
  keep(depth);
}

static void *first(void *arg) {
  for (int i = 0; i < 10; i++) {
    try {
      deep(20);
    } catch (int) {
    }
  }
  put();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main() { run_two(first, second); }
