// verdict: none
// needs: c++17
// std::shared_mutex with its two kinds of guards.
#include <mutex>
#include <shared_mutex>

#include "../two.h"

std::shared_mutex mutex;
int shared;

static void *first(void *arg) {
  {
    std::unique_lock<std::shared_mutex> lock(mutex);
    shared = 1;
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  std::shared_lock<std::shared_mutex> lock(mutex);
  keep(shared);
  return arg;
}

int main() { run_two(first, second); }
