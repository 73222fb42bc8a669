// verdict: race
// race: write A, read B
// needs: c++20
// Both accesses lie behind the same round of a std::barrier.
#include <barrier>
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
  std::barrier barrier(2);
  std::thread one([&barrier] {
    barrier.arrive_and_wait();
    put();
    inv_step(0);
  });
  std::thread two([&barrier] {
    barrier.arrive_and_wait();
    inv_step(1);
    get();
  });
  one.join();
  two.join();
}
