// verdict: race
// race: write A, write B
// Two writes of two bytes each that share one byte.
#include "../two.h"

struct {
  char bytes[8];
} __attribute__((aligned(8))) shared;
typedef short __attribute__((aligned(1), may_alias)) loose_short;

static void *first(void *arg) {
  *(loose_short *)&shared.bytes[2] = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  *(loose_short *)&shared.bytes[3] = 1; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
