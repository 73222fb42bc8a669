// verdict: race
// race: write A, read B
// tsan-clang: misses; the write is forgotten when its slot is taken by another thread
// A write, a thousand threads come and go, and a read that nothing orders with the write.
#include "../two.h"

int shared, counter;

static void *writer(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(2);
  return arg;
}

static void *worker(void *arg) {
  counter += 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  inv_wait(1);
  for (int i = 0; i < 1000; i++) {
    pthread_t other;
    pthread_create(&other, 0, worker, 0);
    pthread_join(other, 0);
  }
  keep(shared); /* B */
  inv_step(1);
  pthread_join(thread, 0);
}
