// verdict: none
// needs: c++17
// std::scoped_lock takes two mutexes in either order without a deadlock, and that is no inversion.
#include <mutex>

#include "../two.h"

std::mutex one, two;
std::recursive_mutex three;
int shared;

static void *first(void *arg) {
  for (int i = 0; i < 50; i++) {
    std::scoped_lock lock(one, two, three);
    shared += 1;
  }
  return arg;
}

static void *second(void *arg) {
  for (int i = 0; i < 50; i++) {
    std::scoped_lock lock(three, two, one);
    shared += 1;
  }
  return arg;
}

int main() {
  run_two(first, second);
  return shared - 100;
}
