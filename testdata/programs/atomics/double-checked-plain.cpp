// verdict: race
// race: write A, read B
// Double-checked locking with a plain flag: the first check races.
#include <mutex>

#include "../two.h"

bool ready;
int shared;
std::mutex mutex;

static NOINLINE void initialise() {
  std::lock_guard<std::mutex> guard(mutex);
  shared = 7;
  ready = true; /* A */
}

static NOINLINE bool is_ready() {
  return ready; /* B */
}

static void *first(void *arg) {
  initialise();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  if (!is_ready()) initialise();
  return arg;
}

int main() { run_two(first, second); }
