// verdict: none
// std::thread: construction and join order, arguments are moved.
#include <memory>
#include <thread>

#include "../invisible.h"

int shared;

int main() {
  shared = 1;
  auto argument = std::make_unique<int>(5);
  std::thread thread([](std::unique_ptr<int> value) { shared += *value; }, std::move(argument));
  thread.join();
  return shared - 6;
}
