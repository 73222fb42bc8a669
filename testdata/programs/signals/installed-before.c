// verdict: none
// What was done before a handler was installed happens before the handler, in whatever thread it runs.
#include <signal.h>

#include "../suspend.h"
#include "../two.h"

int shared, seen;

static void handler(int number) {
  (void)number;
  __atomic_store_n(&seen, shared, __ATOMIC_RELAXED);
}

static void *target(void *arg) {
  hold_back(SIGUSR1);
  inv_step(0);
  SUSPEND_UNTIL(__atomic_load_n(&seen, __ATOMIC_RELAXED));
  return arg;
}

int main(void) {
  pthread_t thread;
  struct sigaction action = {.sa_handler = handler};
  pthread_create(&thread, 0, target, 0);
  inv_step(1);
  shared = 1;
  sigaction(SIGUSR1, &action, 0);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
}
