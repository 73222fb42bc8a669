// verdict: none
// tsan-gcc: unsteady; its thread-local storage does not fit into such a stack
// Threads with the smallest stack that the system allows.
#include <limits.h>

#include "../two.h"

int shared;

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

int main(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  if (pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) != 0) return 1;
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &attr, worker, 0) != 0) return 2;
    pthread_join(thread, 0);
  }
  pthread_attr_destroy(&attr);
  return shared - 3;
}
