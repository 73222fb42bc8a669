// A plugin with a variable of its own and functions that use it.
int plugin_shared;

__attribute__((noinline)) void plugin_put(int value) {
  plugin_shared = value; /* P */
}

__attribute__((noinline)) int plugin_get(void) {
  return plugin_shared; /* Q */
}
