// verdict: missed-race
// tsan: misses; it does not look any more
// A race that the program expects and that is not there.
#include "../two.h"
#include "annotations.h"

int shared;

static void *alone(void *arg) {
  shared = 1;
  return arg;
}

int main(void) {
  AnnotateExpectRace(__FILE__, __LINE__, &shared, "by design");
  pthread_t thread;
  pthread_create(&thread, 0, alone, 0);
  pthread_join(thread, 0);
  return shared - 1;
}
