// verdict: race
// race: write A, write B
// The scope of the guard ends before the access.
#include <mutex>

#include "../two.h"

std::mutex mutex;
int shared;

static void *first(void *arg) {
  { std::lock_guard<std::mutex> guard(mutex); }
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  std::lock_guard<std::mutex> guard(mutex);
  shared = 2; /* B */
  return arg;
}

int main() { run_two(first, second); }
