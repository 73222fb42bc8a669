// verdict: none
// Two threads, one after the other, on the same memory as their stack.
#include <string.h>

#include "../two.h"

static char stack[1 << 20] __attribute__((aligned(4096)));

static void *worker(void *arg) {
  char local[4096];
  memset(local, opaque(1), opaque((int)sizeof local));
  keep(local[opaque(7)]);
  return arg;
}

int main(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstack(&attr, stack, sizeof stack);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    pthread_create(&thread, &attr, worker, 0);
    pthread_join(thread, 0);
  }
  pthread_attr_destroy(&attr);
}
