// verdict: none
// exit: 3
// A thread ends the whole process with a status of its own.
#include <stdlib.h>
#include <unistd.h>

#include "../two.h"

static void *worker(void *arg) {
  (void)arg;
  exit(3);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  for (;;) pause();
}
