// verdict: race
// race: write A, read B
// Double-checked locking with a relaxed flag: the flag does not race, what it stands for does.
#include <atomic>
#include <mutex>

#include "../two.h"

std::atomic<bool> ready;
int shared;
std::mutex mutex;

static NOINLINE void initialise() {
  std::lock_guard<std::mutex> guard(mutex);
  shared = 7; /* A */
  ready.store(true, std::memory_order_relaxed);
}

static NOINLINE int get() {
  if (!ready.load(std::memory_order_relaxed)) initialise();
  return shared; /* B */
}

static void *first(void *arg) {
  initialise();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(get());
  return arg;
}

int main() { run_two(first, second); }
