// verdict: race
// race: write A, read B
// A wait whose deadline passes orders nothing.
#include <semaphore.h>
#include <time.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  sem_post(&semaphore);
  return arg;
}

static void *second(void *arg) {
  struct timespec past = {1, 0};
  inv_step(1);
  if (sem_timedwait(&semaphore, &past) == 0) return 0;
  keep(shared); /* B */
  inv_step(2);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
