// verdict: none
// Whoever finds the once done is ordered after it.
#include "../two.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int shared;

static void initialise(void) { shared = 1; }

static void *first(void *arg) {
  pthread_once(&once, initialise);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_once(&once, initialise);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
