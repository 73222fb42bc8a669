// verdict: none
// A handler on a stack of its own.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

#include "../two.h"

volatile sig_atomic_t inside;
static char *stack;
enum { SIZE = 1 << 16 };

static void handler(int number, siginfo_t *info, void *context) {
  char here;
  (void)context;
  inside = &here >= stack && &here < stack + SIZE && info->si_signo == number;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_ONSTACK | SA_SIGINFO};
  stack_t area = {0};
  area.ss_sp = stack = malloc(SIZE);
  area.ss_size = SIZE;
  sigaltstack(&area, 0);
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  return inside ? 0 : 1;
}
