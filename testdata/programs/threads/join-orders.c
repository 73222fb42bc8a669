// verdict: none
// All that a thread did happens before the return of its join.
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  pthread_join(thread, 0);
  return shared - 1;
}
