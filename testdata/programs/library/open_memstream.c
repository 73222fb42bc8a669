// verdict: race
// race: read A, write B
// needs: -fno-builtin
// tsan: misses; it does not look at what this call touches
// The variables of a stream to memory are written when it is flushed.
#include <stdio.h>
#include <stdlib.h>

#include "../two.h"

char *shared;
size_t bytes;
FILE *stream;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  fflush(stream); /* B */
  return arg;
}

int main(void) {
  stream = open_memstream(&shared, &bytes);
  fputs("text", stream);
  run_two(first, second);
  fclose(stream);
  free(shared);
}
