// Ways out of functions other than their end: jumps, exceptions, and shared objects that go away.
#include "soak.h"
#include <csetjmp>
#include <dlfcn.h>
#include <exception>
#include <stdexcept>
#include <string>

const char *plugin_path;
pthread_mutex_t unloading = PTHREAD_MUTEX_INITIALIZER;

static void dive(unsigned depth, jmp_buf &out) {
  if (depth == 0)
    longjmp(out, 7);
  volatile char frame[32] = {};
  dive(depth - 1, out);
  frame[0] = 1;
}

void jumps(Dice &dice) {
  for (volatile unsigned i = 0; i < 20; i = i + 1) {
    jmp_buf out;
    const int arrived = setjmp(out);
    if (arrived == 0)
      dive(dice.roll(100), out);
    MUST(arrived == 7);
  }
}

static void throw_from(unsigned depth) {
  std::string held(depth, 'x');
  if (depth == 0)
    throw std::runtime_error("far down");
  throw_from(depth - 1);
}

void exceptions(Dice &dice) {
  std::exception_ptr carried;
  const unsigned depth = dice.roll(50);
  pthread_t thread = start([&] {
    for (unsigned i = 0; i < 10; i++) {
      try {
        throw_from(depth);
      } catch (...) {
        carried = std::current_exception();
      }
    }
  });
  join(thread);
  try {
    std::rethrow_exception(carried);
  } catch (const std::runtime_error &error) {
    MUST(std::string(error.what()) == "far down");
  }
}

void plugins(Dice &dice) {
  void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin)
    fail(dlerror(), __FILE__, __LINE__);
  auto *sum = reinterpret_cast<unsigned (*)(unsigned)>(dlsym(plugin, "sum_by_threads"));
  MUST(sum);
  const unsigned count = 1 + dice.roll(4);
  MUST(sum(count) >= count);
  pthread_mutex_lock(&unloading);
  MUST(dlclose(plugin) == 0);
  pthread_mutex_unlock(&unloading);
}
