// verdict: race
// race: read A, write B
// needs: -fno-builtin
// strcpy writes its target, the final zero too.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(shared[3]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  strcpy(shared, "abc"); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
