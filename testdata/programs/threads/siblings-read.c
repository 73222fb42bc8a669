// verdict: none
// Any number of threads may read.
#include "../two.h"

int shared;

static void *reader(void *arg) {
  keep(shared);
  inv_advance();
  inv_wait(2);
  keep(shared);
  return arg;
}

int main(void) {
  shared = 1;
  run_two(reader, reader);
  shared = 2;
}
