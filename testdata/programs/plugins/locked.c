// verdict: none
// plugin: parts/counter.c
// The variable of a plugin, protected by a mutex of the program.
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

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  put(1);
  pthread_mutex_unlock(&mutex);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  keep(get());
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  void *plugin = load(arguments[1]);
  run_two(first, second);
  dlclose(plugin);
}
