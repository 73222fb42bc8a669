// verdict: race
// race: write A, read B
// stack: A store body
// stack: B load between second
// tsan: unsteady; its stacks are wrong after a switch
// A context has a stack of its own, and whoever switched to it finds its own as it was.
#include <ucontext.h>

#include "../two.h"

static ucontext_t here[2], there[2];
static char stacks[2][1 << 16];
int shared;

static NOINLINE void store(void) {
  shared = 1; /* A */
}

static NOINLINE void load(void) {
  keep(shared); /* B */
}

static NOINLINE void deeper(int thread, int depth) {
  if (depth > 0) deeper(thread, depth - 1);
  else swapcontext(&there[thread], &here[thread]);
  __asm__ volatile("");
}

static void body(int thread) {
  if (thread == 0) store();
  for (;;) deeper(thread, 5);
}

static void begin(int thread) {
  getcontext(&there[thread]);
  there[thread].uc_stack.ss_sp = stacks[thread];
  there[thread].uc_stack.ss_size = sizeof stacks[thread];
  makecontext(&there[thread], (void (*)(void))body, 1, thread);
  swapcontext(&here[thread], &there[thread]);
}

static NOINLINE void between(void) {
  begin(1);
  swapcontext(&here[1], &there[1]);
  load();
}

static void *first(void *arg) {
  begin(0);
  inv_step(0);
  return arg;
}

static NOINLINE void *second(void *arg) {
  inv_step(1);
  between();
  return arg;
}

int main(void) { run_two(first, second); }
