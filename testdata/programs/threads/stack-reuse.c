// verdict: none
// A new thread's stack lies where that of a detached, ended one lay: a fresh start, not a race.
#include <string.h>

#include "../two.h"

static void *worker(void *arg) {
  char local[1024];
  memset(local, opaque(1), opaque((int)sizeof local));
  keep(local[opaque(7)]);
  inv_step((unsigned)(long)arg);
  return 0;
}

int main(void) {
  for (long i = 0; i < 20; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, (void *)i);
    pthread_detach(thread);
    inv_wait(i + 1);
    for (int j = 0; j < 100; j++) inv_yield();
  }
}
