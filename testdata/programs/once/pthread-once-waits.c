// verdict: none
// A thread arrives while another is inside the once, waits for it, and is ordered after it.
#include "../two.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int shared;

static void initialise(void) {
  inv_step(0);
  inv_wait(2);
  for (int i = 0; i < 100; i++) inv_yield();
  shared = 1;
}

static void *first(void *arg) {
  pthread_once(&once, initialise);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_once(&once, initialise);
  keep(shared);
  return arg;
}

int main(void) { run_two(first, second); }
