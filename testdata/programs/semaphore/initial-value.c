// verdict: race
// race: write A, read B
// Both threads are let in by the semaphore's initial value of two.
#include <semaphore.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  sem_wait(&semaphore);
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  sem_post(&semaphore);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  sem_wait(&semaphore);
  keep(shared); /* B */
  inv_step(2);
  sem_post(&semaphore);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 2);
  run_two(first, second);
  sem_destroy(&semaphore);
}
