// verdict: none
// tsan: false alarm; for it, a closed descriptor has no history
// The close of the last writer, seen as the end of the pipe.
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  close(ends[1]);
  keep(message);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  if (read(ends[0], &message, 1) != 0) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
