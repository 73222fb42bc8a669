// verdict: none
// prints: last
// tsan: unsteady; a failed check of its own
// The main thread ends by pthread_exit and is joined by another, which ends the process.
#include <stdio.h>

#include "../two.h"

int shared;

static void *last(void *arg) {
  pthread_join(*(pthread_t *)arg, 0);
  if (shared == 1) puts("last");
  return 0;
}

int main(void) {
  static pthread_t self;
  pthread_t thread;
  self = pthread_self();
  pthread_create(&thread, 0, last, &self);
  pthread_detach(thread);
  shared = 1;
  pthread_exit(0);
}
