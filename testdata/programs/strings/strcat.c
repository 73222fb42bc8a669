// verdict: race
// race: read A, write B
// tsan: misses; it does not know this function
// needs: -fno-builtin
// strcat writes behind the end.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  keep(shared[34]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  strcat(shared, "abc"); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
