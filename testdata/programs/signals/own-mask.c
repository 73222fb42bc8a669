// verdict: none
// A thread holds back what its creator does, or what its attributes say.
#define _GNU_SOURCE
#include <signal.h>

#include "../two.h"

static void *look(void *arg) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, 0, &blocked);
  *(int *)arg = sigismember(&blocked, SIGUSR1) + 2 * sigismember(&blocked, SIGUSR2);
  return arg;
}

int main(void) {
  int inherited = 0, own = 0;
  sigset_t first, second;
  pthread_t thread;
  sigemptyset(&first);
  sigaddset(&first, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &first, 0);
  pthread_create(&thread, 0, look, &inherited);
  pthread_join(thread, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  sigemptyset(&second);
  sigaddset(&second, SIGUSR2);
  pthread_attr_setsigmask_np(&attributes, &second);
  pthread_create(&thread, &attributes, look, &own);
  pthread_join(thread, 0);
  pthread_attr_destroy(&attributes);
  return inherited == 1 && own == 2 ? 0 : 1;
}
