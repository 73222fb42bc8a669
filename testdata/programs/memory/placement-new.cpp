// verdict: race
// race: write A, read B
// An object built into memory that another thread reads.
#include <new>

#include "../two.h"

struct Value {
  long number;
  NOINLINE explicit Value(long from) {
    number = from; /* A */
  }
};

alignas(Value) char place[sizeof(Value)];

static void *first(void *arg) {
  keep(new (place) Value(7));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(reinterpret_cast<Value *>(place)->number); /* B */
  return arg;
}

int main() { run_two(first, second); }
