// verdict: race
// race: write P, read Q
// plugin: parts/counter.c
// The variable of a plugin is written and read without order. Both accesses are in the plugin's source.
#include <dlfcn.h>

#include "../two.h"

void (*put)(int);
int (*get)(void);

static void *load(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW);
  if (!plugin) __builtin_trap();
  put = (void (*)(int))dlsym(plugin, "plugin_put");
  get = (int (*)(void))dlsym(plugin, "plugin_get");
  return plugin;
}

static void *first(void *arg) {
  put(1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(get());
  return arg;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  load(arguments[1]);
  run_two(first, second);
}
