// verdict: none
// One thread signals another, which waits in a system call; the handler sees what an atomic hands over.
#include <signal.h>

#include "../suspend.h"
#include "../two.h"

int flag, shared, seen;

static void handler(int number) {
  (void)number;
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) __atomic_store_n(&seen, shared, __ATOMIC_RELEASE);
}

static void *target(void *arg) {
  hold_back(SIGUSR1);
  inv_step(0);
  SUSPEND_UNTIL(__atomic_load_n(&seen, __ATOMIC_ACQUIRE));
  return arg;
}

int main(void) {
  pthread_t thread;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  pthread_create(&thread, 0, target, 0);
  inv_step(1);
  shared = 7;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
  return seen - 7;
}
