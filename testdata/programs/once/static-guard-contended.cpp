// verdict: none
// A second thread arrives while the first is inside the constructor, and waits for its end.
#include "../two.h"

struct Config {
  int value;
  NOINLINE Config() {
    inv_step(0);
    inv_wait(2);
    for (int i = 0; i < 100; i++) inv_yield();
    value = 7;
  }
};

static NOINLINE Config &config() {
  static Config instance;
  return instance;
}

static void *first(void *arg) {
  keep(config().value);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(config().value);
  return arg;
}

int main() { run_two(first, second); }
