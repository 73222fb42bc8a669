// verdict: none
// A map that grows and shrinks under a mutex; its nodes go from thread to thread.
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "../invisible.h"

static std::map<int, std::string> names;
static std::mutex mutex;

static void work(int from) {
  for (int i = 0; i < 100; i++) {
    std::lock_guard<std::mutex> guard(mutex);
    names[from + i] = "a name that does not fit into the object itself";
    names.erase(names.begin());
  }
}

int main() {
  std::thread one(work, 0), two(work, 50);
  one.join();
  two.join();
  return static_cast<int>(names.size());
}
