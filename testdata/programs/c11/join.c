// verdict: none
// tsan: unsteady; it does not know the threads of C11
// thrd_create and thrd_join order, and the result comes through; thrd_exit ends a thread.
#include <threads.h>

#include "../invisible.h"

int shared;

static int worker(void *arg) {
  shared += *(int *)arg;
  if (shared == 4) thrd_exit(9);
  return 7;
}

int main(void) {
  thrd_t thread;
  int argument = 2, result = 0;
  thrd_create(&thread, worker, &argument);
  thrd_join(thread, &result);
  if (result != 7) return 1;
  thrd_create(&thread, worker, &argument);
  thrd_join(thread, &result);
  return result == 9 && shared == 4 ? 0 : 2;
}
