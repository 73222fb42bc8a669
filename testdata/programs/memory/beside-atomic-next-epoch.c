// verdict: race
// race: write A, read B
// A thread writes a number beside an atomic one, releases a mutex, and writes it again: what was done before the release says nothing of what comes after it.
#include <stdatomic.h>

#include "../two.h"

static struct {
  _Alignas(8) atomic_int counter;
  int number;
} pair;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  atomic_store_explicit(&pair.counter, 1, memory_order_relaxed);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 2; i++) {
    pair.number = i; /* A */
    if (i == 0)
      pthread_mutex_unlock(&mutex);
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  keep(pair.number); /* B */
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) { run_two(first, second); }
