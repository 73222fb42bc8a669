// verdict: race
// race: write A, read B
// tsan: unsteady; its own report spoils errno
// What is written after the handler was installed is not handed over by sending the signal.
#include <signal.h>

#include "../suspend.h"
#include "../two.h"

int shared, seen;

static void handler(int number) {
  (void)number;
  keep(shared); /* B */
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
  shared = 1; /* A */
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
}
