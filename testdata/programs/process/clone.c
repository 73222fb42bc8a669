// verdict: none
// A process made by clone has a copy of all memory, and the runtime is whole in it.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

static char stack[1 << 18] __attribute__((aligned(16)));
int shared;

static void *busy(void *arg) {
  while (inv_now() == 0) free(malloc(100));
  return arg;
}

static int body(void *arg) {
  free(malloc(100));
  shared += 1;
  return arg == &shared && shared == 8 ? 0 : 1;
}

int main(void) {
  pthread_t thread;
  shared = 7;
  pthread_create(&thread, 0, busy, 0);
  pid_t child = clone(body, stack + sizeof stack, SIGCHLD, &shared);
  int status = 1;
  waitpid(child, &status, 0);
  inv_step(0);
  pthread_join(thread, 0);
  return status != 0 || shared != 7;
}
