// verdict: none
// A handler that interrupts its own thread by raise.
#include <signal.h>

#include "../two.h"

volatile sig_atomic_t seen;

static void handler(int number) {
  seen = number;
}

int main(void) {
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  return seen == SIGUSR1 ? 0 : 1;
}
