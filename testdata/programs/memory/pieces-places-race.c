// verdict: race
// race: write A, read B
// stack: A third pieces first
// The bytes of a word are written from different functions; of one of them the other thread has been told of an earlier write only.
#include "../two.h"

char bytes[8] __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void publish(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

NOINLINE static void low(void) { bytes[opaque(0)] = 1; }
NOINLINE static void second(void) { bytes[opaque(1)] = 1; }
NOINLINE static void third(void) {
  bytes[opaque(2)] = 1; /* A */
}
NOINLINE static void high(void) { bytes[opaque(7)] = 1; }

NOINLINE static void pieces(void) {
  high();
  third();
  second();
  low();
}

static void *first(void *arg) {
  for (int i = 0; i < 8; i++) bytes[opaque(i)] = 0;
  publish();
  inv_step(0);
  inv_wait(2);
  pieces();
  inv_advance();
  return arg;
}

static void *other(void *arg) {
  inv_wait(1);
  publish();
  inv_advance();
  inv_wait(3);
  keep(bytes[opaque(2)]); /* B */
  return arg;
}

int main(void) { run_two(first, other); }
