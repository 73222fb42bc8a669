// verdict: none
// needs: -fno-builtin
// memset of one half, with odd ends.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  memset(shared, 1, opaque(13));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  memset(shared + 13, 2, opaque(51));
  return arg;
}

int main(void) { run_two(first, second); }
