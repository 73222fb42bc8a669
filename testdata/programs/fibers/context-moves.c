// verdict: race
// race: write A, read B
// stack: A store body
// A context begins in one thread and goes on in another, which takes its stack over.
#include <ucontext.h>

#include "../two.h"

static ucontext_t here, there;
static char stack[1 << 16];
int shared;

static NOINLINE void store(void) {
  shared = 1; /* A */
}

static void body(void) {
  swapcontext(&there, &here);
  store();
  swapcontext(&there, &here);
}

static void *begins(void *arg) {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  makecontext(&there, body, 0);
  swapcontext(&here, &there);
  return arg;
}

static void *first(void *arg) {
  swapcontext(&here, &there);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, begins, 0);
  pthread_join(thread, 0);
  run_two(first, second);
}
