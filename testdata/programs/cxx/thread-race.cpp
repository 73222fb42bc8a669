// verdict: race
// race: write A, read B
// A std::thread and its creator without order.
#include <thread>

#include "../invisible.h"

int shared;

static NOINLINE void put() {
  shared = 1; /* A */
}

static NOINLINE void get() {
  keep(shared); /* B */
}

int main() {
  std::thread thread([] {
    put();
    inv_step(0);
  });
  inv_step(1);
  get();
  thread.join();
}
