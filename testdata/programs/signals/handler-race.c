// verdict: race
// race: write A, read B
// stack: A handler first
// A handler runs in the thread that it interrupts, and races with others.
#include <signal.h>

#include "../two.h"

int shared;

static void handler(int number) {
  (void)number;
  shared = 1; /* A */
}

static void *first(void *arg) {
  raise(SIGUSR1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(void) {
  signal(SIGUSR1, handler);
  run_two(first, second);
}
