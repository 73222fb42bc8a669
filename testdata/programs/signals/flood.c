// verdict: none
// prints: enough
// A signal that may interrupt its own handler comes while its thread allocates, locks and creates threads, and faster than the handler can be done: the stack must not fill.
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../two.h"

static atomic_int handled;
static atomic_int over;

static void handler(int signal) {
  (void)signal;
  handled++;
}

static void *nothing(void *arg) { return arg; }

static void *pestered(void *arg) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  while (!over) {
    pthread_mutex_lock(&mutex);
    free(malloc(100));
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
  }
  return arg;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER | SA_RESTART};
  sigaction(SIGUSR1, &action, 0);
  pthread_t thread;
  pthread_create(&thread, 0, pestered, 0);
  while (handled < 20000) {
    pthread_kill(thread, SIGUSR1);
    inv_yield();
  }
  over = 1;
  pthread_join(thread, 0);
  puts("enough");
}
