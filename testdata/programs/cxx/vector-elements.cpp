// verdict: none
// Threads write different elements of one vector.
#include <thread>
#include <vector>

#include "../invisible.h"

int main() {
  std::vector<int> numbers(100);
  auto work = [&numbers](int from) {
    for (int i = from; i < 100; i += 2) numbers[i] = i;
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  return numbers[98] + numbers[99] - 197;
}
