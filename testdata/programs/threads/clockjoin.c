// verdict: none
// tsan: false alarm; it does not know this function
// A join with a deadline on the clock of the caller's choice.
#define _GNU_SOURCE
#include <time.h>

#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 50;
  pthread_create(&thread, 0, writer, 0);
  if (pthread_clockjoin_np(thread, 0, CLOCK_MONOTONIC, &deadline) != 0) return 1;
  return shared - 1;
}
