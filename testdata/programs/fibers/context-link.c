// verdict: race
// race: write A, read B
// stack: B load after second
// tsan-clang: misses; its stacks run over
// A context whose function returns goes on in the one that it is linked to, with that one's stack.
#include <ucontext.h>

#include "../two.h"

static ucontext_t here, there;
static char stack[1 << 16];
int shared, rounds;

static NOINLINE void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static NOINLINE void load(void) {
  keep(shared); /* B */
}

static NOINLINE void count(int a, int b, int c, int d, int e, int f, int g) { rounds += a + b + c + d + e + f + g == 28; }

static NOINLINE void once(void) {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, (void (*)(void))count, 7, 1, 2, 3, 4, 5, 6, 7);
  swapcontext(&here, &there);
}

static NOINLINE void after(void) {
  for (int i = 0; i < 100000; i++) once();
  load();
  if (rounds != 100000) __builtin_trap();
}

static NOINLINE void *second(void *arg) {
  inv_step(1);
  after();
  return arg;
}

int main(void) { run_two(first, second); }
