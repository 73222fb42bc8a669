// verdict: none
// The thread-local variables of a thread lie where those of an ended one lay: a fresh start, not a race.
#include "../two.h"

static __thread int local[64];

static void *worker(void *arg) {
  for (int i = 0; i < 64; i++) local[i] = i;
  keep(local[opaque(3)]);
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
