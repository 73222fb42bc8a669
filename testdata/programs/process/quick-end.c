// verdict: none
// exit: 9
// _exit ends the program at once, with threads at work.
#include <unistd.h>

#include "../two.h"

static void *worker(void *arg) {
  inv_step(0);
  inv_wait(1000);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  inv_wait(1);
  _exit(9);
}
