// verdict: race
// race: write A, read B
// tsan: misses; it does not look at what this call touches
// stat reads the path.
#include <sys/stat.h>

#include "../two.h"

char shared[4] = ".";
struct stat mine;

static void *first(void *arg) {
  shared[1] = 0; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(stat(shared, &mine)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
