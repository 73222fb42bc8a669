// verdict: none
// A join that does not wait orders as much as one that does, once it succeeds.
#define _GNU_SOURCE
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  while (pthread_tryjoin_np(thread, 0) != 0) inv_yield();
  return shared - 1;
}
