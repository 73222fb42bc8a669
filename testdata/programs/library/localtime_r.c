// verdict: none
// localtime_r answers where each thread wants it.
#include <time.h>

#include "../two.h"

time_t then;

static void *first(void *arg) {
  struct tm mine;
  keep(localtime_r(&then, &mine));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct tm mine;
  keep(localtime_r(&then, &mine));
  return arg;
}

int main(void) { run_two(first, second); }
