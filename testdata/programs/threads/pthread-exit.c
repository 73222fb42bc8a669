// verdict: none
// A thread that ends by pthread_exit deep in its calls is joined like any other.
#include "../two.h"

int shared;

static NOINLINE void finish(void) {
  shared = 1;
  pthread_exit(&shared);
}

static void *writer(void *arg) {
  finish();
  return arg;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, writer, 0);
  pthread_join(thread, &result);
  return *(int *)result - 1;
}
