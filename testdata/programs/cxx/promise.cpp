// verdict: none
// A promise hands over what was done before it was kept.
#include <future>
#include <thread>

#include "../invisible.h"

int shared;

int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread thread([&promise] {
    shared = 1;
    promise.set_value(2);
  });
  int sum = future.get() + shared;
  thread.join();
  return sum - 3;
}
