// verdict: none
// needs: c++20
// std::counting_semaphore and std::binary_semaphore.
#include <chrono>
#include <semaphore>
#include <thread>

#include "../invisible.h"

int shared;

int main() {
  std::binary_semaphore full(0);
  std::counting_semaphore<4> empty(1);
  std::thread producer([&] {
    for (int i = 1; i <= 10; i++) {
      empty.acquire();
      shared = i;
      full.release();
    }
  });
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    while (!full.try_acquire_for(std::chrono::seconds(50))) {
    }
    sum += shared;
    empty.release();
  }
  producer.join();
  return sum - 55;
}
