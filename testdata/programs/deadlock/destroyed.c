// verdict: none
// Locks on the stack come and go at the same addresses: the orders of the dead ones do not count.
#include "../two.h"

static NOINLINE void nest(pthread_mutex_t *outer, pthread_mutex_t *inner) {
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

static NOINLINE void use(int turn) {
  pthread_mutex_t pair[2];
  pthread_mutex_init(&pair[0], 0);
  pthread_mutex_init(&pair[1], 0);
  nest(&pair[turn], &pair[1 - turn]);
  pthread_mutex_destroy(&pair[0]);
  pthread_mutex_destroy(&pair[1]);
}

int main(void) {
  use(0);
  use(1);
}
