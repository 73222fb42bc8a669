// verdict: none
// Words of an array, each written in an epoch of its own, are cleared at once by a thread that knows them all, and copied by one that knows that.
#include <string.h>

#include "../two.h"

enum { WORDS = 1000 };
long words[WORDS], copy[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  for (int i = 0; i < WORDS; i++) {
    if (i % 3 == 0) keep(words[i]);
    words[opaque(i)] = i;
    pass_through(&lock);
  }
  inv_step(0);
  inv_wait(2);
  pass_through(&lock);
  memcpy(copy, words, opaque(sizeof words));
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  pass_through(&lock);
  memset(words, 0, opaque(sizeof words));
  pass_through(&lock);
  inv_advance();
  return arg;
}

int main(void) { run_two(first, second); }
