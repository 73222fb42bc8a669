// verdict: none
// exit: 5
// The child of a program with one thread goes on, with threads of its own.
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

int shared;

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    _exit(shared + 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
