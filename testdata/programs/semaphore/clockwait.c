// verdict: none
// tsan: false alarm; it does not know this function
// A wait with a deadline on the monotonic clock.
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

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
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 50;
  inv_step(1);
  if (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline) == 0) keep(shared);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
