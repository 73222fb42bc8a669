// verdict: none
// tsan-gcc: false alarm; libstdc++ calls pthread_mutex_clocklock, which it does not know
// std::timed_mutex waits by pthread_mutex_clocklock.
#include <chrono>
#include <mutex>

#include "../two.h"

std::timed_mutex mutex;
int shared;

static void *first(void *arg) {
  std::lock_guard<std::timed_mutex> guard(mutex);
  inv_step(0);
  shared = 1;
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (mutex.try_lock_for(std::chrono::seconds(50))) {
    shared = 2;
    mutex.unlock();
  }
  return arg;
}

int main() {
  run_two(first, second);
  return shared - 2;
}
