// verdict: none
// The last owner of a std::shared_ptr destroys what all of them used.
#include <memory>
#include <thread>

#include "../invisible.h"

struct Object {
  int values[2] = {};
  ~Object() { keep(values[0] + values[1]); }
};

int main() {
  auto object = std::make_shared<Object>();
  std::weak_ptr<Object> weak = object;
  std::thread one([object]() mutable {
    object->values[0] = 1;
    object.reset();
    inv_step(0);
  });
  std::thread two([object = std::move(object), weak]() mutable {
    inv_step(1);
    object->values[1] = 1;
    object.reset();
    if (weak.lock()) keep(1);
  });
  one.join();
  two.join();
  return weak.expired() ? 0 : 1;
}
