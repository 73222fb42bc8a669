// verdict: none
// Creation and joins order over generations.
#include "../two.h"

int shared;

static void *grandchild(void *arg) {
  shared += 1;
  return arg;
}

static void *child(void *arg) {
  pthread_t thread;
  pthread_create(&thread, 0, grandchild, 0);
  pthread_join(thread, 0);
  return arg;
}

int main(void) {
  pthread_t thread;
  shared = 1;
  pthread_create(&thread, 0, child, 0);
  pthread_join(thread, 0);
  return shared - 2;
}
