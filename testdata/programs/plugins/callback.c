// verdict: race
// race: write A, read B
// stack: A store plugin_run first
// plugin: parts/callback.c
// Functions of the program that an instrumented plugin calls race, with the plugin's frames in their stacks.
#include <dlfcn.h>

#include "../two.h"

int shared;
void (*run)(void (*)(void));

static NOINLINE void store(void) {
  shared = 1; /* A */
}

static void *first(void *arg) {
  run(store);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

int main(int count, char **arguments) {
  void *plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (!plugin) return 1;
  run = (void (*)(void (*)(void)))dlsym(plugin, "plugin_run");
  run_two(first, second);
  dlclose(plugin);
}
