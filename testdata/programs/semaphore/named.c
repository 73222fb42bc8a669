// verdict: none
// A semaphore with a name, opened twice.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "../two.h"

sem_t *one, *two;
int shared;

static void *first(void *arg) {
  shared = 1;
  sem_post(one);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  sem_wait(two);
  keep(shared);
  return arg;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/deadheat-%d", (int)getpid());
  one = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  two = sem_open(name, 0);
  sem_unlink(name);
  if (one == SEM_FAILED || two == SEM_FAILED) return 1;
  run_two(first, second);
  sem_close(one);
  sem_close(two);
}
