// verdict: none
// A cancelled thread runs its cleanup handlers, and joining it orders them too.
#include <unistd.h>

#include "../two.h"

int shared;

static void cleanup(void *arg) {
  (void)arg;
  shared = 1;
}

static void *waiter(void *arg) {
  pthread_cleanup_push(cleanup, 0);
  inv_step(0);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, waiter, 0);
  inv_step(1);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED && shared == 1 ? 0 : 1;
}
