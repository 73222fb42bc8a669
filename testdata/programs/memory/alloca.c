// verdict: race
// race: write A, read B
// Memory from alloca, given to another thread.
#include <alloca.h>

#include "../two.h"

static void *writer(void *arg) {
  ((char *)arg)[10] = 1; /* A */
  inv_step(0);
  return 0;
}

static NOINLINE void get(char *place) {
  keep(*place); /* B */
}

int main(void) {
  pthread_t thread;
  char *local = alloca(opaque(20));
  pthread_create(&thread, 0, writer, local);
  inv_step(1);
  get(local + 10);
  pthread_join(thread, 0);
}
