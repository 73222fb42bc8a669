// verdict: none
// std::condition_variable_any waits with any lock.
#include <condition_variable>
#include <mutex>

#include "../two.h"

std::recursive_mutex mutex;
std::condition_variable_any condition;
bool ready;
int shared;

static void *first(void *arg) {
  inv_step(1);
  shared = 1;
  std::lock_guard<std::recursive_mutex> guard(mutex);
  ready = true;
  condition.notify_one();
  return arg;
}

static void *second(void *arg) {
  std::unique_lock<std::recursive_mutex> lock(mutex);
  inv_step(0);
  condition.wait(lock, [] { return ready; });
  keep(shared);
  return arg;
}

int main() { run_two(first, second); }
