// verdict: none
// Every form of operator new and delete, of memory that goes from thread to thread.
#include <new>

#include "../two.h"

struct alignas(64) Wide {
  int values[16];
};

static void use() {
  for (int i = 0; i < 50; i++) {
    int *one = new int(i);
    int *many = new int[10];
    int *quiet = new (std::nothrow) int(i);
    Wide *wide = new Wide;
    many[9] = *one + *quiet;
    wide->values[15] = many[9];
    keep(wide->values[opaque(15)]);
    delete one;
    delete[] many;
    delete quiet;
    delete wide;
  }
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main() { run_two(first, second); }
