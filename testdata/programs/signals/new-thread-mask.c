// verdict: none
// A thread that is created while signals come to its creator does not hold them back: nobody asked for that.
#include <signal.h>
#include <stdlib.h>

#include "../two.h"

enum { THREADS = 500 };

pthread_t creator;

static void handler(int number) { (void)number; }

static void *look(void *arg) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, 0, &blocked);
  if (sigismember(&blocked, SIGUSR1)) abort();
  return arg;
}

static void *pester(void *arg) {
  while (inv_now() == 0) pthread_kill(creator, SIGUSR1);
  return arg;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, 0);
  creator = pthread_self();
  pthread_t other;
  pthread_create(&other, 0, pester, 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    if (pthread_create(&thread, 0, look, 0) != 0) return 1;
    pthread_join(thread, 0);
  }
  inv_step(0);
  pthread_join(other, 0);
}
