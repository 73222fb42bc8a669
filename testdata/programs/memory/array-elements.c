// verdict: none
// Each thread has its own elements.
#include "../two.h"

int shared[64];

static void *first(void *arg) {
  for (int i = 0; i < 64; i += 2) shared[i] = i;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  for (int i = 1; i < 64; i += 2) shared[i] = i;
  return arg;
}

int main(void) { run_two(first, second); }
