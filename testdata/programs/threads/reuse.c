// verdict: none
// A second thread takes the place of a joined one and goes on with its data.
#include "../two.h"

int shared;

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 10; i++) {
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
  }
  return shared - 10;
}
