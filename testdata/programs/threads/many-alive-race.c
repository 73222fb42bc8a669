// verdict: race
// race: write A, read B
// tsan-clang: misses; the write is forgotten when its slot is taken by another thread
// The first and the last of three hundred threads that are alive at once.
#include "../two.h"

enum { THREADS = 300 };
int shared;

static NOINLINE void put(void) {
  shared = 1; /* A */
}

static NOINLINE void get(void) {
  keep(shared); /* B */
}

static void *worker(void *arg) {
  long number = (long)arg;
  inv_wait(number);
  if (number == 0) put();
  if (number == THREADS - 1) get();
  inv_step(number);
  inv_wait(THREADS);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, worker, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
}
