// verdict: none
// tsan: false alarm; it does not see what this orders
// What was written to a pipe happens before fscanf has read it.
#include <stdio.h>
#include <unistd.h>

#include "../two.h"

FILE *ends[2];
int shared;

static void *first(void *arg) {
  shared = 7;
  fprintf(ends[1], "12\n");
  fflush(ends[1]);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int mine;
  if (fscanf(ends[0], "%d", &mine) != 1) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  int fds[2];
  if (pipe(fds) != 0) return 1;
  ends[0] = fdopen(fds[0], "r");
  ends[1] = fdopen(fds[1], "w");
  run_two(first, second);
}
