// verdict: race
// race: write A, read B
// The future of std::async is not asked before the data is used.
#include <future>

#include "../invisible.h"

int shared;

static NOINLINE void put() {
  shared = 1; /* A */
}

static NOINLINE void get() {
  keep(shared); /* B */
}

int main() {
  auto eager = std::async(std::launch::async, [] {
    put();
    inv_step(0);
  });
  inv_step(1);
  get();
}
