// verdict: none
// A thread waits for a signal instead of a handler; the data goes through a mutex.
#include <signal.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *waiter(void *arg) {
  int number = 0;
  sigwait(arg, &number);
  pthread_mutex_lock(&mutex);
  keep(shared + number);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_create(&thread, 0, waiter, &set);
  pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
}
