// verdict: none
// needs: c++20
// std::barrier with a function that runs between the rounds.
#include <barrier>
#include <thread>

#include "../invisible.h"

int shared[2], sum;

int main() {
  std::barrier barrier(2, []() noexcept { sum += shared[0] + shared[1]; });
  auto work = [&barrier](int number) {
    for (int round = 0; round < 5; round++) {
      shared[(number + round) % 2] += 1;
      barrier.arrive_and_wait();
    }
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  return sum - 30;
}
