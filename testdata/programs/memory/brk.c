// verdict: none
// tsan: false alarm; it does not see brk
// Memory that brk gives back, and gives out again, has no past.
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "../two.h"

static void use(void) {
  char *end = sbrk(0);
  if (brk(end + 4096) != 0) __builtin_trap();
  end[8] = 1;
  brk(end);
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main(void) { run_two(first, second); }
