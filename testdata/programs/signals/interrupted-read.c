// verdict: none
// A signal ends a blocked read early; the handler has run by then.
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "../two.h"

int ends[2], result;
int handled;

static void handler(int number) {
  (void)number;
  __atomic_store_n(&handled, 1, __ATOMIC_RELAXED);
}

static void *target(void *arg) {
  char byte;
  inv_step(0);
  result = read(ends[0], &byte, 1) == -1 && errno == EINTR && __atomic_load_n(&handled, __ATOMIC_RELAXED);
  inv_advance();
  return arg;
}

int main(void) {
  pthread_t thread;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, 0, target, 0);
  inv_wait(1);
  while (inv_now() < 2) {
    pthread_kill(thread, SIGUSR1);
    inv_yield();
  }
  pthread_join(thread, 0);
  return result ? 0 : 2;
}
