// verdict: none
// std::condition_variable::wait_for waits by pthread_cond_clockwait.
#include <chrono>
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
  {
    std::lock_guard<std::mutex> guard(mutex);
    ready = true;
  }
  condition.notify_one();
  return arg;
}

static void *second(void *arg) {
  std::unique_lock<std::mutex> lock(mutex);
  inv_step(0);
  if (condition.wait_for(lock, std::chrono::seconds(50), [] { return ready; })) keep(shared);
  lock.unlock();
  lock.lock();
  condition.wait_for(lock, std::chrono::microseconds(1));
  return arg;
}

int main() { run_two(first, second); }
