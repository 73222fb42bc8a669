// verdict: race
// race: write A, write B
// Only one of the two threads holds the spin lock.
#include "../two.h"

pthread_spinlock_t lock;
int shared;

static void *first(void *arg) {
  pthread_spin_lock(&lock);
  shared = 1; /* A */
  pthread_spin_unlock(&lock);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
  pthread_spin_destroy(&lock);
}
