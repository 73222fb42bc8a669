// verdict: none
// tsan: unsteady; what counts the references of an exception is not instrumented
// An exception travels from the thread of a task to the one that asks for its result.
#include <future>
#include <stdexcept>
#include <thread>

#include "../invisible.h"

int main() {
  std::packaged_task<int(int)> task([](int value) -> int {
    if (value > 0) throw std::runtime_error("no");
    return value;
  });
  auto future = task.get_future();
  std::thread thread(std::move(task), 1);
  int caught = 0;
  try {
    future.get();
  } catch (const std::runtime_error &error) {
    caught = error.what()[0] == 'n';
  }
  thread.join();
  return caught ? 0 : 1;
}
