// verdict: none
// Thread-local objects with constructors and destructors; the join orders the destructor too.
#include <thread>

#include "../invisible.h"

int destroyed;

struct Local {
  int value;
  Local() : value(5) {}
  ~Local() { destroyed += value; }
};

static thread_local Local local;

int main() {
  for (int i = 0; i < 3; i++) {
    std::thread thread([] { local.value += 1; });
    thread.join();
  }
  return destroyed - 18;
}
