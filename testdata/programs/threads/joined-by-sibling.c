// verdict: none
// A thread is joined by another than the one that created it.
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1;
  return arg;
}

static void *joiner(void *arg) {
  pthread_join(*(pthread_t *)arg, 0);
  keep(shared);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, writer, 0);
  pthread_create(&two, 0, joiner, &one);
  pthread_join(two, 0);
  return shared - 1;
}
