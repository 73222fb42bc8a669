// verdict: none
// One shared pointer, replaced and read by the atomic functions of the standard library.
#include <memory>
#include <thread>

#include "../invisible.h"

std::shared_ptr<int> current = std::make_shared<int>(0);

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 50; i++) std::atomic_store(&current, std::make_shared<int>(i));
  });
  for (int i = 0; i < 50; i++) {
    std::shared_ptr<int> seen = std::atomic_load(&current);
    keep(*seen);
  }
  writer.join();
  return *current - 50;
}
