// verdict: none
// A byte through a pipe.
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (write(ends[1], &message, 1) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  if (read(ends[0], &message, 1) != 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
