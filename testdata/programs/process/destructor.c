// verdict: none
// prints: constructor main destructor
// Constructors run before main, destructors after it, instrumented like all else.
#include <stdio.h>

#include "../two.h"

int shared;

static void *worker(void *arg) {
  shared += 1;
  return arg;
}

static void run(const char *word) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  printf("%s", word);
}

__attribute__((constructor)) static void before(void) { run("constructor "); }
__attribute__((destructor)) static void after(void) { run("destructor\n"); }

int main(void) { run("main "); }
