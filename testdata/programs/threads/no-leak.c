// verdict: none
// A thread that is still running at the end of the program is no leak, and a detached one that ended is none either.
#include "../two.h"

static void *runner(void *arg) {
  inv_step(0);
  inv_wait(1000);
  return arg;
}

static void *detached(void *arg) {
  inv_step(1);
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, runner, 0);
  pthread_create(&two, 0, detached, 0);
  pthread_detach(two);
  inv_wait(2);
}
