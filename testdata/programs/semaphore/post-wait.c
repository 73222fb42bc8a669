// verdict: none
// A post hands over all that was done before it.
#include <semaphore.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  shared = 1;
  sem_post(&semaphore);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  sem_wait(&semaphore);
  keep(shared);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
