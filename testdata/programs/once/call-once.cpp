// verdict: none
// std::call_once.
#include <mutex>

#include "../two.h"

std::once_flag once;
int shared;

static void *first(void *arg) {
  std::call_once(once, [] { shared = 1; });
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
