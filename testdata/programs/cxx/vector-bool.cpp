// verdict: race
// race: write A, read B
// The elements of a vector of bool share words: two of them are not two places.
#include <vector>

#include "../two.h"

static std::vector<bool> *flags;

static NOINLINE void set() {
  (*flags)[3] = true; /* A */
}

static NOINLINE bool get() {
  return (*flags)[5]; /* B */
}

static void *first(void *arg) {
  set();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(get());
  return arg;
}

int main() {
  flags = new std::vector<bool>(10);
  run_two(first, second);
  delete flags;
}
