// verdict: race
// race: write A, read B
// stack: A Guard::~Guard middle first
// A destructor that runs while an exception passes: its frame, and those it unwinds to, are right.
#include "../two.h"

int shared, calls;

struct Guard {
  NOINLINE ~Guard() {
    shared = 1; /* A */
  }
};

static NOINLINE void thrower() {
  calls += 1;
  throw 1;
}

static NOINLINE void middle() {
  Guard guard;
  calls += 1;
  thrower();
}

static void *first(void *arg) {
  try {
    middle();
  } catch (int) {
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main() { run_two(first, second); }
