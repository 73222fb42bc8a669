// verdict: none
// tsan: unsteady; it does not know the threads of C11
// call_once.
#include <threads.h>

#include "../invisible.h"

once_flag once = ONCE_FLAG_INIT;
int shared;
static void initialise(void) { shared = 1; }

static int first(void *arg) {
  call_once(&once, initialise);
  inv_step(0);
  return arg != 0;
}

static int second(void *arg) {
  inv_step(1);
  call_once(&once, initialise);
  keep(shared);
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
}
