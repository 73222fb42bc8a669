// verdict: race
// race: read A, write B
// needs: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// tsan-gcc: misses; it does not look at what this call touches
// fgets writes the line, its size checked or not.
#include <stdio.h>

#include "../two.h"

char shared[8];
FILE *file;

static void *first(void *arg) {
  keep(shared[1]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(fgets(shared, opaque(8), file)); /* B */
  return arg;
}

int main(void) {
  file = tmpfile();
  fputs("line\n", file);
  rewind(file);
  run_two(first, second);
  fclose(file);
}
