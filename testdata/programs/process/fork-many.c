// verdict: none
// A program forks while another of its threads allocates and locks; the child allocates and ends.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *busy(void *arg) {
  inv_step(0);
  while (inv_now() < 2) {
    pthread_mutex_lock(&mutex);
    void *block = malloc(100);
    keep(block);
    free(block);
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  pthread_t thread;
  int wrong = 0;
  pthread_create(&thread, 0, busy, 0);
  inv_wait(1);
  for (int i = 0; i < 10; i++) {
    pid_t child = fork();
    if (child == 0) {
      char *block = malloc(1000);
      block[10] = 1;
      keep(block[opaque(10)]);
      free(block);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    wrong |= status;
  }
  inv_step(1);
  pthread_join(thread, 0);
  return wrong != 0;
}
