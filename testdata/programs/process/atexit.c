// verdict: none
// prints: 3 2 1
// Handlers of atexit run in reverse order, after all threads were joined.
#include <stdio.h>
#include <stdlib.h>

#include "../two.h"

int shared;

static void one(void) { printf("%d\n", shared); }
static void two(void) { printf("%d ", shared + 1); }
static void three(void) { printf("%d ", shared + 2); }

static void *worker(void *arg) {
  shared = 1;
  atexit(two);
  return arg;
}

int main(void) {
  pthread_t thread;
  atexit(one);
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  atexit(three);
}
