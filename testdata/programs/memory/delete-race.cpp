// verdict: race
// race: write A, write B
// A thread writes to an object that another deletes.
#include "../two.h"

int *shared;

static void *first(void *arg) {
  *shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  delete shared; /* B */
  return arg;
}

int main() {
  shared = new int(0);
  run_two(first, second);
}
