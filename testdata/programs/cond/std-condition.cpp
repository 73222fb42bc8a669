// verdict: none
// std::condition_variable: its wait lives in libstdc++, which calls pthread_cond_wait.
#include <condition_variable>
#include <mutex>

#include "../two.h"

std::mutex mutex;
std::condition_variable condition;
bool ready;
int shared;

static void *first(void *arg) {
  inv_step(1);
  shared = 1;
  std::lock_guard<std::mutex> guard(mutex);
  ready = true;
  condition.notify_all();
  return arg;
}

static void *second(void *arg) {
  std::unique_lock<std::mutex> lock(mutex);
  inv_step(0);
  condition.wait(lock, [] { return ready; });
  keep(shared);
  return arg;
}

int main() { run_two(first, second); }
