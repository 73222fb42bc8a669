// verdict: race
// race: write A, read B
// stack: A put first
// After a jump out of nested calls, the stack of a later access is right.
#include <setjmp.h>

#include "../two.h"

static jmp_buf back;
int shared;

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static NOINLINE void deep(int depth) {
  if (depth == 0) longjmp(back, 1);
  if (depth < 100) deep(depth - 1);
  keep(depth);
}

static void *first(void *arg) {
  if (setjmp(back) == 0) deep(20);
  put();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
