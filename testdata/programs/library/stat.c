// verdict: race
// race: read A, write B
// stat writes what it knows of the file.
#include <sys/stat.h>

#include "../two.h"

struct stat shared;

static void *first(void *arg) {
  keep(shared.st_size); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(stat(".", &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
