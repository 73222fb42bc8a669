// verdict: race
// race: write A, read B
// stack: B get second
// The same for sigsetjmp and siglongjmp, many times.
#include <setjmp.h>

#include "../two.h"

static __thread sigjmp_buf back;
static __thread volatile int jumps;
int shared;

static NOINLINE void get(void) {
  keep(shared); /* B */
}

static NOINLINE void jump(void) {
  jumps += 1;
  siglongjmp(back, 1);
}

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  sigsetjmp(back, 1);
  if (jumps < 1000) jump();
  get();
  return arg;
}

int main(void) { run_two(first, second); }
