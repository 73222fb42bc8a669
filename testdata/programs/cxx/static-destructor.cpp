// verdict: race
// race: write A, read B
// The destructor of a global object reads what a thread that nobody joined has written.
#include "../two.h"

static int shared;

struct Global {
  NOINLINE ~Global() {
    keep(shared); /* B */
  }
};

static Global global;

static void *worker(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  inv_wait(1000);
  return arg;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, worker, nullptr);
  pthread_detach(thread);
  inv_step(1);
}
