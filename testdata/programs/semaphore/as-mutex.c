// verdict: none
// A semaphore of one as a lock.
#include <semaphore.h>

#include "../two.h"

sem_t semaphore;
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 200; i++) {
    sem_wait(&semaphore);
    shared += 1;
    sem_post(&semaphore);
  }
  return arg;
}

int main(void) {
  sem_init(&semaphore, 0, 1);
  run_two(worker, worker);
  sem_destroy(&semaphore);
  return shared - 400;
}
