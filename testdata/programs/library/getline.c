// verdict: race
// race: read A, write B
// needs: -fno-builtin
// getline writes where the line is.
#include <stdio.h>
#include <stdlib.h>

#include "../two.h"

char *shared;
size_t room;
FILE *file;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(getline(&shared, &room, file)); /* B */
  return arg;
}

int main(void) {
  file = tmpfile();
  fputs("line\n", file);
  rewind(file);
  run_two(first, second);
  free(shared);
  fclose(file);
}
