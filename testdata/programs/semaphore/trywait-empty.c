// verdict: race
// race: write A, read B
// A wait that does not block and fails orders nothing.
#include <semaphore.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  sem_post(&semaphore);
  sem_wait(&semaphore);
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (sem_trywait(&semaphore) == 0) return 0;
  keep(shared); /* B */
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
