// verdict: none
// needs: -fno-builtin
// strlen does not read beyond the end of the text.
#include <string.h>

#include "../two.h"

char shared[64] = "a text that both threads can see";

static void *first(void *arg) {
  shared[40] = 'x';
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(strlen(shared));
  return arg;
}

int main(void) { run_two(first, second); }
