// verdict: race
// race: write A, write B
// A program replaces itself by itself; the race is in its second life.
#include <unistd.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(int count, char **arguments) {
  if (count == 1) {
    execl("/proc/self/exe", arguments[0], "again", (char *)0);
    return 1;
  }
  run_two(first, second);
}
