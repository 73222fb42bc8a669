// verdict: none
// std::mutex and its guards.
#include <mutex>

#include "../two.h"

std::mutex mutex;
int shared;

static void *first(void *arg) {
  {
    std::lock_guard<std::mutex> guard(mutex);
    shared = 1;
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  lock.lock();
  shared = 2;
  return arg;
}

int main() { run_two(first, second); }
