// verdict: none
// A wait that does not block and succeeds.
#include <semaphore.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *first(void *arg) {
  shared = 1;
  sem_post(&semaphore);
  return arg;
}

static void *second(void *arg) {
  while (sem_trywait(&semaphore) != 0) inv_yield();
  keep(shared);
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(first, second);
  sem_destroy(&semaphore);
}
