// verdict: none
// A relaxed addition by another thread continues the release sequence: the acquire still sees the release before it.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  inv_step(2);
  return arg;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  inv_step(3);
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2) keep(shared);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
