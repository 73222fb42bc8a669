// verdict: none
// A static variable of a function is initialised once, and later callers are ordered after that.
#include "../two.h"

struct Config {
  int value;
  NOINLINE Config() : value(opaque(7)) {}
};

static NOINLINE Config &config() {
  static Config instance;
  return instance;
}

static void *first(void *arg) {
  keep(config().value);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(config().value);
  return arg;
}

int main() { run_two(first, second); }
