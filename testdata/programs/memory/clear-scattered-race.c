// verdict: race
// race: write A, write B
// Words of an array, each written in an epoch of its own, are cleared at once by a thread that knows all of them but one in the middle.
#include <string.h>

#include "../two.h"

enum { WORDS = 1000 };
long words[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  for (int i = 0; i < WORDS; i++) {
    words[opaque(i)] = i;
    pass_through(&lock);
  }
  words[opaque(777)] = 1; /* A */
  inv_step(0);
  return arg;
}

NOINLINE static void clear(void) {
  memset(words, 0, opaque(sizeof words)); /* B */
}

static void *second(void *arg) {
  inv_wait(1);
  pass_through(&lock);
  clear();
  return arg;
}

int main(void) { run_two(first, second); }
