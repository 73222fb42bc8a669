// verdict: none
// Virtual calls from several threads on one object.
#include <thread>

#include "../invisible.h"

struct Base {
  virtual ~Base() {}
  virtual int value() const { return 1; }
};

struct Derived : Base {
  int number = 7;
  int value() const override { return number; }
};

int main() {
  Base *object = new Derived;
  auto work = [object] { keep(object->value()); };
  std::thread one(work), two(work);
  one.join();
  two.join();
  int value = object->value();
  delete object;
  return value - 7;
}
