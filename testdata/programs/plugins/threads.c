// verdict: none
// plugin: parts/worker.c
// A plugin makes threads of its own, with thread-local variables, and is unloaded after they ended.
#include <dlfcn.h>

#include "../two.h"

int main(int count, char **arguments) {
  if (count < 2) return 1;
  for (int i = 0; i < 3; i++) {
    void *plugin = dlopen(arguments[1], RTLD_NOW);
    if (!plugin) return 2;
    int (*work)(void) = (int (*)(void))dlsym(plugin, "plugin_work");
    if (work() != 10) return 3;
    dlclose(plugin);
  }
}
