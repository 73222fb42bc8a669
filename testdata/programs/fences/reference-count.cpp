// verdict: none
// tsan-gcc: false alarm; it does not follow fences
// The usual count of references: release on each decrement, an acquire fence before the delete.
#include <atomic>

#include "../two.h"

struct Object {
  std::atomic<int> references{2};
  int values[2] = {};
};

Object *object;

static NOINLINE void drop() {
  if (object->references.fetch_sub(1, std::memory_order_release) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    delete object;
  }
}

static void *first(void *arg) {
  object->values[0] = 1;
  drop();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  object->values[1] = 1;
  drop();
  return arg;
}

int main() {
  object = new Object;
  run_two(first, second);
}
