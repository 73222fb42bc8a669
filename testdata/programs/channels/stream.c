// verdict: none
// tsan: false alarm; it does not see what stdio writes and reads
// Through a pipe with stdio on both ends.
#include <stdio.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
FILE *out, *in;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  fputc(message, out);
  fflush(out);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  message = (char)fgetc(in);
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  out = fdopen(ends[1], "w");
  in = fdopen(ends[0], "r");
  run_two(first, second);
}
