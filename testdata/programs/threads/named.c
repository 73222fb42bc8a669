// verdict: none
// prints: worker
// A thread's name is what the program said, and reading it back works.
#define _GNU_SOURCE
#include <stdio.h>

#include "../two.h"

static void *worker(void *arg) {
  char name[16];
  pthread_setname_np(pthread_self(), "worker");
  pthread_getname_np(pthread_self(), name, sizeof name);
  puts(name);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
}
