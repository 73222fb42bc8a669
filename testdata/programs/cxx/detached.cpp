// verdict: race
// race: write A, write B
// A detached std::thread.
#include <thread>

#include "../invisible.h"

int shared;

static NOINLINE void first() {
  shared = 1; /* A */
}

static NOINLINE void second() {
  shared = 2; /* B */
}

int main() {
  std::thread([] {
    first();
    inv_step(0);
  }).detach();
  inv_step(1);
  second();
}
