// verdict: race
// race: write A, read B
// tsan-clang: misses; it remembers four accesses for each word
// A write, eight threads that read one after the other and in order after it, and a read that nothing orders.
#include "../two.h"

enum { READERS = 8 };
int shared, turn;

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static NOINLINE void ordered(void) { keep(shared); }

static NOINLINE void unordered(void) {
  keep(shared); /* B */
}

static void *reader(void *arg) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != (int)(long)arg) inv_yield();
  ordered();
  __atomic_store_n(&turn, (int)(long)arg + 1, __ATOMIC_RELEASE);
  return 0;
}

static void *writer(void *arg) {
  pthread_t threads[READERS];
  for (long i = 0; i < READERS; i++) pthread_create(&threads[i], 0, reader, (void *)(i + 1));
  put();
  __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < READERS; i++) pthread_join(threads[i], 0);
  inv_step(0);
  return arg;
}

static void *other(void *arg) {
  inv_step(1);
  unordered();
  return arg;
}

int main(void) { run_two(writer, other); }
