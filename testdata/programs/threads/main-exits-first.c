// verdict: none
// prints: last
// tsan: unsteady; its own background thread keeps the process alive
// The main thread ends by pthread_exit; the process goes on and ends with its last thread.
#include <stdio.h>

#include "../two.h"

static void *last(void *arg) {
  inv_step(1);
  for (int i = 0; i < 100; i++) inv_yield();
  puts("last");
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, last, 0);
  pthread_detach(thread);
  inv_step(0);
  pthread_exit(0);
}
