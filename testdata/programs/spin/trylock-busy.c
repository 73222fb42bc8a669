// verdict: race
// race: write A, write B
// A spin lock that is tried and refused orders nothing.
#include "../two.h"

pthread_spinlock_t lock;
int shared;

static void *first(void *arg) {
  pthread_spin_lock(&lock);
  shared = 1; /* A */
  inv_step(0);
  inv_wait(3);
  pthread_spin_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_spin_trylock(&lock);
  shared = 2; /* B */
  inv_step(2);
  return arg;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
  pthread_spin_destroy(&lock);
}
