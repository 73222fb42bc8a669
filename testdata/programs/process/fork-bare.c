// verdict: none
// _Fork calls nothing that was registered; the runtime is whole in the child all the same.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

static void *busy(void *arg) {
  while (inv_now() == 0) free(malloc(100));
  return arg;
}

static void *child_thread(void *arg) {
  free(malloc(100));
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, busy, 0);
  for (int i = 0; i < 20; i++) {
    pid_t child = _Fork();
    if (child == 0) {
      free(malloc(100));
      pthread_t other;
      pthread_create(&other, 0, child_thread, 0);
      pthread_join(other, 0);
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  inv_step(0);
  pthread_join(thread, 0);
}
