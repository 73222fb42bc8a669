// verdict: signal-unsafe
// A handler that allocates memory, and may interrupt the allocator.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "../suspend.h"
#include "../two.h"

int seen;

static void handler(int number) {
  int before = errno;
  void *block = malloc(number);
  keep(block);
  errno = before;
  __atomic_store_n(&seen, 1, __ATOMIC_RELAXED);
}

static void *target(void *arg) {
  hold_back(SIGUSR1);
  inv_step(0);
  SUSPEND_UNTIL(__atomic_load_n(&seen, __ATOMIC_RELAXED));
  return arg;
}

int main(void) {
  pthread_t thread;
  signal(SIGUSR1, handler);
  pthread_create(&thread, 0, target, 0);
  inv_step(1);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
}
