// verdict: none
// A thousand threads, one after the other.
#include "../two.h"

int shared;

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

int main(void) {
  for (int i = 0; i < 1000; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
  }
  return shared - 1000;
}
