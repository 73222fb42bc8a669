// verdict: race
// race: read A, write B
// sigwait writes which signal came.
#include <signal.h>

#include "../two.h"

int shared;
sigset_t set;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  raise(SIGUSR1);
  keep(sigwait(&set, &shared)); /* B */
  return arg;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  run_two(first, second);
}
