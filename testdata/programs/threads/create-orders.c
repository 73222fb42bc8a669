// verdict: none
// What a thread does before it creates another happens before all that the other does.
#include "../two.h"

int shared;

static void *reader(void *arg) {
  keep(shared);
  return arg;
}

int main(void) {
  pthread_t thread;
  shared = 1;
  pthread_create(&thread, 0, reader, 0);
  pthread_join(thread, 0);
}
