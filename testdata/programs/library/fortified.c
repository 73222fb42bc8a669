// verdict: none
// needs: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// tsan-gcc: false alarm; it does not see what this orders
// A read whose size is checked is a read like any other.
#include <unistd.h>

#include "../two.h"

int ends[2], shared;

static void *first(void *arg) {
  shared = 7;
  if (write(ends[1], "text", 4) != 4) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char text[4];
  if (read(ends[0], text, opaque(4)) != 4) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
