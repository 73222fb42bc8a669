// verdict: none
// A spin lock that is tried and taken.
#include "../two.h"

pthread_spinlock_t lock;
int shared;

static void *first(void *arg) {
  pthread_spin_lock(&lock);
  shared = 1;
  pthread_spin_unlock(&lock);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (pthread_spin_trylock(&lock) == 0) {
    shared = 2;
    pthread_spin_unlock(&lock);
  }
  return arg;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
  pthread_spin_destroy(&lock);
  return shared - 2;
}
