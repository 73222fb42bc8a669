// verdict: race
// race: write A, read B
// What is written after the promise was kept is not handed over.
#include <future>
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
  std::promise<void> promise;
  auto future = promise.get_future();
  std::thread thread([&promise] {
    promise.set_value();
    put();
    inv_step(0);
  });
  future.wait();
  inv_step(1);
  get();
  thread.join();
}
