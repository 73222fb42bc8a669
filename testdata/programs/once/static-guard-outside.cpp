// verdict: race
// race: write A, read B
// The guard orders the construction of the object, not what is done to it later.
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
  config().value = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(config().value); /* B */
  return arg;
}

int main() { run_two(first, second); }
