// verdict: none
// Fields of all sizes in one word, each written by one thread only.
#include "../two.h"

struct {
  char one;
  char two;
  short three;
  int four;
} shared;

static void *first(void *arg) {
  shared.one = 1;
  shared.three = 3;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared.two = 2;
  shared.four = 4;
  return arg;
}

int main(void) { run_two(first, second); }
