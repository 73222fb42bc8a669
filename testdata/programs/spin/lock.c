// verdict: none
// A spin lock under contention.
#include "../two.h"

pthread_spinlock_t lock;
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < 100; i++) {
    pthread_spin_lock(&lock);
    shared += 1;
    pthread_spin_unlock(&lock);
  }
  return arg;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(worker, worker);
  pthread_spin_destroy(&lock);
  return shared - 200;
}
