// verdict: none
// A join with a deadline that is met.
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
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 50;
  pthread_create(&thread, 0, writer, 0);
  if (pthread_timedjoin_np(thread, 0, &deadline) != 0) return 1;
  return shared - 1;
}
