// verdict: none
// sem_post is the one way of waking a thread that a handler may use.
#include <semaphore.h>
#include <signal.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void handler(int number) {
  (void)number;
  sem_post(&semaphore);
}

static void *first(void *arg) {
  shared = 1;
  raise(SIGUSR1);
  return arg;
}

static void *second(void *arg) {
  while (sem_wait(&semaphore) != 0) {
  }
  keep(shared);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  signal(SIGUSR1, handler);
  run_two(first, second);
  sem_destroy(&semaphore);
}
