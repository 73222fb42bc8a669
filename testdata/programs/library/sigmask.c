// verdict: race
// race: read A, write B
// tsan: misses; it does not look at what this call touches
// pthread_sigmask writes what was blocked before.
#include <pthread.h>
#include <signal.h>

#include "../two.h"

sigset_t shared;

static void *first(void *arg) {
  keep(*(char *)&shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(pthread_sigmask(SIG_BLOCK, 0, &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
