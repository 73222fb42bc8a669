// verdict: none
// Constants and function tables are read by all.
#include "../two.h"

static const char *const names[] = {"one", "two"};
static int one(void) { return 1; }
static int two(void) { return 2; }
int (*table[])(void) = {one, two};

static void *first(void *arg) {
  keep(names[opaque(0)][0]);
  keep(table[opaque(0)]());
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(names[opaque(0)][0]);
  keep(table[opaque(0)]());
  return arg;
}

int main(void) { run_two(first, second); }
