// verdict: none
// Threads may ask for variables at the same time, and after others were set.
#include <stdlib.h>

#include "../two.h"

static void *first(void *arg) {
  keep(getenv("HOME"));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(getenv("DEADHEAT_TEST"));
  return arg;
}

int main(void) {
  setenv("DEADHEAT_TEST", "1", 1);
  run_two(first, second);
}
