// verdict: none
// Two contexts that switch from deep inside of calls, many times.
#include <ucontext.h>

#include "../two.h"

enum { ROUNDS = 20000, DEPTH = 40 };

static ucontext_t contexts[3];
static char stacks[2][1 << 17];
int shared;

static NOINLINE void down(int self, int depth) {
  if (depth > 0) down(self, depth - 1);
  else swapcontext(&contexts[self], &contexts[1 - self]);
  shared++;
}

static void body(int self) {
  for (int i = 0; i < ROUNDS; i++) down(self, i % DEPTH);
  setcontext(&contexts[2]);
}

static NOINLINE void work(void) {
  volatile int back = 0;
  for (int i = 0; i < 2; i++) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&contexts[i], (void (*)(void))body, 1, i);
  }
  getcontext(&contexts[2]);
  if (back++ == 0) setcontext(&contexts[0]);
}

static void *worker(void *arg) {
  work();
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  return shared > ROUNDS ? 0 : 1;
}
