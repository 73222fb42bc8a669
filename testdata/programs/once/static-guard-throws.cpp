// verdict: none
// The first initialisation fails with an exception; the next caller does it anew.
#include "../two.h"

static int attempts;

struct Config {
  int value;
  NOINLINE Config() {
    attempts += 1;
    if (attempts == 1) throw 1;
    value = 7;
  }
};

static NOINLINE int config() {
  static Config instance;
  return instance.value;
}

static void *first(void *arg) {
  try {
    keep(config());
  } catch (int) {
    keep(config());
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(config());
  return arg;
}

int main() {
  run_two(first, second);
  return attempts - 2;
}
