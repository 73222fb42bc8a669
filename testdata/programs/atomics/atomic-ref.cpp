// verdict: none
// needs: c++20
// std::atomic_ref makes a plain variable atomic for a while.
#include <atomic>

#include "../two.h"

int flag, shared;

static void *first(void *arg) {
  shared = 1;
  std::atomic_ref<int>(flag).store(1, std::memory_order_release);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (std::atomic_ref<int>(flag).load(std::memory_order_acquire)) keep(shared);
  return arg;
}

int main() {
  run_two(first, second);
  return flag - 1;
}
