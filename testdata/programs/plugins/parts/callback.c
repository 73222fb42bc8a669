// A plugin that calls what it is given.
__attribute__((noinline)) void plugin_run(void (*callback)(void)) {
  callback();
  __asm__ volatile("");
}
