// verdict: race
// race: write A, read B
// The flag is protected, the data is written after it was set.
#include <condition_variable>
#include <mutex>

#include "../two.h"

std::mutex mutex;
std::condition_variable condition;
bool ready;
int shared;

static void *first(void *arg) {
  inv_step(1);
  {
    std::lock_guard<std::mutex> guard(mutex);
    ready = true;
    condition.notify_one();
  }
  shared = 1; /* A */
  inv_step(2);
  return arg;
}

static void *second(void *arg) {
  std::unique_lock<std::mutex> lock(mutex);
  inv_step(0);
  condition.wait(lock, [] { return ready; });
  inv_step(3);
  keep(shared); /* B */
  return arg;
}

int main() { run_two(first, second); }
