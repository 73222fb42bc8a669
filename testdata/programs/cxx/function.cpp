// verdict: none
// Work goes through a queue of std::function under a mutex.
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "../invisible.h"

static std::mutex mutex;
static std::condition_variable condition;
static std::deque<std::function<void()>> queue;
static int shared;

static void work() {
  for (int i = 0; i < 50; i++) {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return !queue.empty(); });
    auto task = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    task();
  }
}

int main() {
  std::thread worker(work);
  for (int i = 0; i < 50; i++) {
    auto payload = std::make_shared<int>(i);
    std::lock_guard<std::mutex> guard(mutex);
    queue.push_back([payload] { shared += *payload; });
    condition.notify_one();
  }
  worker.join();
  return shared - 1225 ? 1 : 0;
}
