// verdict: race
// race: read A, write B
// uname writes what it knows.
#include <sys/utsname.h>

#include "../two.h"

struct utsname shared;

static void *first(void *arg) {
  keep(shared.release[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(uname(&shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
