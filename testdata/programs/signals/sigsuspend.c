// verdict: none
// sigsuspend lets one signal in, runs its handler and returns.
#include <errno.h>
#include <signal.h>

#include "../two.h"

volatile sig_atomic_t seen;

static void handler(int number) { seen = number; }

int main(void) {
  sigset_t blocked, before;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  raise(SIGUSR1);
  if (seen) return 1;
  if (sigsuspend(&before) != -1 || errno != EINTR) return 2;
  return seen == SIGUSR1 ? 0 : 3;
}
