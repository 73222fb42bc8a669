// verdict: none
// Double-checked locking as it should be: the pointer is atomic, with release and acquire.
#include <atomic>
#include <mutex>

#include "../two.h"

struct Config {
  int value;
};

std::atomic<Config *> instance;
std::mutex mutex;

static NOINLINE Config *get() {
  Config *config = instance.load(std::memory_order_acquire);
  if (config) return config;
  std::lock_guard<std::mutex> guard(mutex);
  config = instance.load(std::memory_order_relaxed);
  if (!config) {
    config = new Config{7};
    instance.store(config, std::memory_order_release);
  }
  return config;
}

static void *first(void *arg) {
  keep(get()->value);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(get()->value);
  return arg;
}

int main() {
  run_two(first, second);
  delete instance.load();
}
