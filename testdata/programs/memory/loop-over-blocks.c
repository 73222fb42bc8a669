// verdict: none
// Loops over an array, over all of it, every other element, and parts, in turns that a mutex orders, and single accesses in between.
#include "../two.h"

enum { COUNT = 1024, ROUNDS = 40 };
static long array[COUNT];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static void fill(long from, long to, long by) {
  for (long i = from; i < to; i += by) array[i] = i;
}

NOINLINE static long sum(long from, long to, long by) {
  long all = 0;
  for (long i = from; i < to; i += by) all += array[i];
  return all;
}

static void turn(long round) {
  pthread_mutex_lock(&mutex);
  fill(0, COUNT, 1);
  keep(sum(0, COUNT, 1));
  fill(round % 2, COUNT, 2);
  keep(sum(round % 2, COUNT, 2));
  keep(sum(opaque(round), COUNT - round, 1));
  if (round % 3 == 0) array[opaque(round * 7)]++;
  pthread_mutex_unlock(&mutex);
}

static void *first(void *arg) {
  for (int i = 0; i < ROUNDS; i++) {
    inv_wait(2 * i);
    turn(i);
    inv_advance();
  }
  return arg;
}

static void *second(void *arg) {
  for (int i = 0; i < ROUNDS; i++) {
    inv_wait(2 * i + 1);
    turn(i);
    inv_advance();
  }
  return arg;
}

int main(void) { run_two(first, second); }
