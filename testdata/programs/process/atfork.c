// verdict: none
// The handlers of pthread_atfork hold a mutex over the fork.
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void *worker(void *arg) {
  inv_step(0);
  while (inv_now() < 2) {
    pthread_mutex_lock(&mutex);
    shared += 1;
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_atfork(lock, unlock, unlock);
  pthread_create(&thread, 0, worker, 0);
  inv_wait(1);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    shared += 1;
    pthread_mutex_unlock(&mutex);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  inv_step(1);
  pthread_join(thread, 0);
  return status != 0;
}
