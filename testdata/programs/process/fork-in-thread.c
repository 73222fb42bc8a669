// verdict: none
// A thread that is not the main one forks; in the child it is the only one.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

int shared;

static void *forker(void *arg) {
  shared += 1;
  pid_t child = fork();
  if (child == 0) {
    shared += 1;
    _exit(shared == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) abort();
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, forker, 0);
  pthread_join(thread, 0);
  return shared - 1;
}
