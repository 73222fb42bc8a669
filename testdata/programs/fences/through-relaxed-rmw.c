// verdict: none
// tsan: false alarm; it does not follow fences
// A relaxed store after a release fence heads a release sequence that another thread's relaxed addition continues.
#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
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
  int ready = __atomic_load_n(&flag, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (ready == 2) keep(shared);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
