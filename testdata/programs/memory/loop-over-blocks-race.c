// verdict: race
// race: write A, read B
// A thread goes over an array again and again; another one reads an element in the middle that it may not, and has been told of all other rounds.
#include "../two.h"

enum { COUNT = 1024, ROUNDS = 10 };
static long array[COUNT];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static void fill(void) {
  for (long i = 0; i < COUNT; i++) array[i] = i; /* A */
}

static void publish(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void *first(void *arg) {
  for (int i = 0; i < ROUNDS; i++) {
    fill();
    publish();
  }
  inv_step(0);
  inv_wait(2);
  publish();
  fill();
  inv_advance();
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  publish();
  for (long i = 0; i < COUNT; i += 100) keep(array[opaque(i)]);
  publish();
  inv_advance();
  inv_wait(3);
  keep(array[opaque(500)]); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
