// verdict: none
// needs: -fno-builtin
// All threads may compare, search and copy the same text.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(strlen(shared) + strcmp(shared, "b") + (strchr(shared, 120) != 0));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char copy[64];
  strcpy(copy, shared);
  keep(strlen(shared) + strcmp(shared, copy) + memcmp(shared, copy, opaque(10)));
  return arg;
}

int main(void) { run_two(first, second); }
