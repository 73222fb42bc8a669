// verdict: none
// std::async in another thread, and deferred in this one; get orders.
#include <future>

#include "../invisible.h"

int shared;

int main() {
  auto eager = std::async(std::launch::async, [] {
    shared = 1;
    return 1;
  });
  int sum = eager.get() + shared;
  auto lazy = std::async(std::launch::deferred, [] { return ++shared; });
  return sum + lazy.get() - 4;
}
