// verdict: none
// A signal that is read from a descriptor.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../two.h"

int main(void) {
  sigset_t set;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  int descriptor = signalfd(-1, &set, 0);
  raise(SIGUSR1);
  if (read(descriptor, &info, sizeof info) != sizeof info) return 1;
  close(descriptor);
  return info.ssi_signo == SIGUSR1 ? 0 : 2;
}
