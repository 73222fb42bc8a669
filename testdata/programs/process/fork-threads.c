// verdict: none
// tsan: unsteady; it ends a child that makes threads after its parent had some
// The child of a program with several threads makes threads of its own.
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

int shared;

static void *waiter(void *arg) {
  inv_step(0);
  inv_wait(2);
  return arg;
}

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  inv_wait(1);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; i++) {
      pthread_create(&thread, 0, worker, 0);
      pthread_join(thread, 0);
    }
    _exit(shared == 3 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  inv_step(1);
  pthread_join(thread, 0);
  return status != 0;
}
