// verdict: none
// What sigaction says about a handler is what the program said before.
#define _GNU_SOURCE
#include <signal.h>

#include "../two.h"

volatile sig_atomic_t seen;

static void handler(int number) { seen += number; }

int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND}, before;
  if (signal(SIGUSR1, SIG_IGN) != SIG_DFL) return 1;
  raise(SIGUSR1);
  sigaction(SIGUSR1, &action, &before);
  if (before.sa_handler != SIG_IGN) return 2;
  raise(SIGUSR1);
  sigaction(SIGUSR1, 0, &before);
  if (before.sa_handler != SIG_DFL) return 3;
  if (signal(SIGUSR1, handler) != SIG_DFL || signal(SIGUSR1, SIG_DFL) != handler) return 4;
  return seen == SIGUSR1 ? 0 : 5;
}
