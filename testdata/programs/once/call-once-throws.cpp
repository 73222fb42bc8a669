// verdict: none
// tsan: unsteady; its pthread_once is not open again after an exception, and the next call hangs
// The first function that std::call_once calls fails with an exception, and the next is called.
#include <mutex>

#include "../two.h"

std::once_flag once;
int shared;

static void *first(void *arg) {
  try {
    std::call_once(once, [] { throw 1; });
  } catch (int) {
    std::call_once(once, [] { shared = 1; });
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  std::call_once(once, [] { shared = 2; });
  keep(shared);
  return arg;
}

int main() {
  run_two(first, second);
  return shared - 1;
}
