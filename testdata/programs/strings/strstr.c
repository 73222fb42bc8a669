// verdict: race
// race: write A, read B
// needs: -fno-builtin
// strstr reads.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[0] = 'b'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(strstr(shared, "text")); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
