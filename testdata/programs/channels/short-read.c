// verdict: none
// A read writes only as many bytes as there were.
#include <unistd.h>

#include "../two.h"

int ends[2];
char shared[8];

static void *first(void *arg) {
  shared[3] = 1;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (read(ends[0], shared, opaque(8)) != 3) return 0;
  return arg;
}

int main(void) {
  if (pipe(ends) != 0 || write(ends[1], "123", 3) != 3) return 1;
  run_two(first, second);
}
