// verdict: vptr-race
// race: write A, read B
// only: clang; gcc does not tell the table from other data
// A virtual call while another thread's destructor sets the table of the base class.
#include "../two.h"

struct Base {
  NOINLINE virtual int value() { return 1; }
  virtual ~Base() { /* A */
    inv_step(0);
    inv_wait(2);
  }
};

struct Derived : Base {
  NOINLINE int value() override { return 2; }
  ~Derived() override {}
};

static Base *object;

static void *first(void *arg) {
  delete object;
  return arg;
}

static void *second(void *arg) {
  inv_wait(1);
  keep(object->value()); /* B */
  inv_advance();
  return arg;
}

int main() {
  object = new Derived;
  run_two(first, second);
}
