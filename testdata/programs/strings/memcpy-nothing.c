// verdict: none
// needs: -fno-builtin
// memcpy of no bytes touches nothing.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[5] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  memcpy(shared + 5, "1", opaque(0));
  memset(shared + 5, 1, opaque(0));
  memmove(shared + 5, shared + 5, opaque(0));
  return arg;
}

int main(void) { run_two(first, second); }
