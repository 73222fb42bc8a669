// verdict: none
// needs: -fno-builtin
// memcpy touches no byte more than it is told.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[4] = 1;
  shared[25] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  memcpy(shared + 5, "12345678901234567890", opaque(20));
  return arg;
}

int main(void) { run_two(first, second); }
