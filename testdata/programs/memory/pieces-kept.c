// verdict: none
// Some bytes of a word are written again after the other thread was told of all of them; it goes on with the others.
#include "../two.h"

char bytes[8] __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void publish(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void *first(void *arg) {
  for (int i = 0; i < 8; i++) bytes[opaque(i)] = 0;
  publish();
  inv_step(0);
  inv_wait(2);
  bytes[opaque(1)] = 1;
  bytes[opaque(4)] = 1;
  keep(bytes[opaque(5)]);
  bytes[opaque(2)] = 1;
  inv_advance();
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  publish();
  inv_advance();
  inv_wait(3);
  keep(bytes[opaque(0)]);
  bytes[opaque(3)] = 2;
  keep(bytes[opaque(5)]);
  bytes[opaque(7)] = 2;
  return arg;
}

int main(void) { run_two(first, second); }
