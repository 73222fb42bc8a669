// verdict: none
// needs: c++20
// Each count down of a latch happens before the end of the wait.
#include <latch>
#include <thread>

#include "../invisible.h"

int shared[2];

int main() {
  std::latch latch(2);
  auto work = [&latch](int number) {
    shared[number] = 1;
    latch.count_down();
  };
  std::thread one(work, 0), two(work, 1);
  latch.wait();
  int sum = shared[0] + shared[1];
  one.join();
  two.join();
  return sum - 2;
}
