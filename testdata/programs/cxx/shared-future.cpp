// verdict: none
// Several threads wait for one future; an exception travels through another.
#include <future>
#include <thread>

#include "../invisible.h"

int shared;

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread one([future] { keep(future.get() + shared); });
  std::thread two([future] { keep(future.get() + shared); });
  shared = 1;
  promise.set_value(7);
  one.join();
  two.join();
}
