// verdict: none
// needs: c++20
// A callback runs in the thread that asks to stop; a wait with a stop token ends.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "../invisible.h"

int shared, called;

int main() {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::jthread thread([&](std::stop_token token) {
    std::unique_lock<std::mutex> lock(mutex);
    inv_step(0);
    condition.wait(lock, token, [] { return false; });
    shared += 1;
  });
  std::stop_callback callback(thread.get_stop_token(), [] { called += 1; });
  inv_step(1);
  {
    std::lock_guard<std::mutex> guard(mutex);
    shared = 1;
  }
  thread.request_stop();
  thread.join();
  return shared + called - 3;
}
