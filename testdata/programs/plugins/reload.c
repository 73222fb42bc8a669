// verdict: none
// tsan: false alarm; it does not see what the loader unmaps
// plugin: parts/counter.c
// A plugin is unloaded and loaded again at the same address: its variables are new.
#include <dlfcn.h>

#include "../two.h"

static __thread void (*put)(int);
static __thread int (*get)(void);

static void *load(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW);
  if (!plugin) __builtin_trap();
  put = (void (*)(int))dlsym(plugin, "plugin_put");
  get = (int (*)(void))dlsym(plugin, "plugin_get");
  return plugin;
}

const char *path;

static void *first(void *arg) {
  void *plugin = load(path);
  put(1);
  dlclose(plugin);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  void *plugin = load(path);
  put(2);
  keep(get());
  dlclose(plugin);
  return arg;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  path = arguments[1];
  run_two(first, second);
}
