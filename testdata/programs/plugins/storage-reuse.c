// verdict: none
// plugin: parts/worker.c
// The loader frees a library's thread-local storage in whichever thread makes the C library keep too many stacks of ended ones.
#include <dlfcn.h>

#include "../two.h"

static int (*work)(void);

static void *wait(void *arg) {
  inv_wait(2);
  return arg;
}

static void *first(void *arg) {
  enum { MANY = 10 };
  pthread_t threads[MANY];
  for (int i = 0; i < MANY; i++) pthread_create(&threads[i], 0, wait, 0);
  inv_step(0);
  for (int i = 0; i < MANY; i++) pthread_join(threads[i], 0);
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  work();
  inv_advance();
  return arg;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  void *plugin = dlopen(arguments[1], RTLD_NOW);
  if (!plugin) return 2;
  work = (int (*)(void))dlsym(plugin, "plugin_work");
  run_two(first, second);
  dlclose(plugin);
}
