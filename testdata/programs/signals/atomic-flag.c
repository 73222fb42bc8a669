// verdict: none
// A handler that sets an atomic flag for another thread.
#include <signal.h>

#include "../two.h"

int flag, shared;

static void handler(int number) {
  (void)number;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
}

static void *first(void *arg) {
  shared = 1;
  pthread_kill(pthread_self(), SIGUSR1);
  return arg;
}

static void *second(void *arg) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) inv_yield();
  keep(shared);
  return arg;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  run_two(first, second);
}
