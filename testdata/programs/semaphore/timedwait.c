// verdict: none
// A wait with a deadline that is met.
#include <semaphore.h>
#include <time.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  inv_step(0);
  shared = 1;
  sem_post(&semaphore);
  return arg;
}

static void *second(void *arg) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 50;
  inv_wait(1);
  if (sem_timedwait(&semaphore, &deadline) == 0) keep(shared);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
