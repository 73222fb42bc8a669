// verdict: race
// race: write A, write B
// needs: c++17
// Two writes under shared ownership.
#include <mutex>
#include <shared_mutex>

#include "../two.h"

std::shared_mutex mutex;
int shared;

static void *first(void *arg) {
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    shared = 1; /* A */
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  std::shared_lock<std::shared_mutex> lock(mutex);
  shared = 2; /* B */
  return arg;
}

int main() { run_two(first, second); }
