// verdict: race
// race: write A, read B
// The object behind a std::shared_ptr is shared, not protected. (Both threads have their pointer before either goes on: to copy
// one is to synchronise with those who gave theirs up.)
#include <memory>
#include <thread>

#include "../invisible.h"

static NOINLINE void put(int &place) {
  place = 1; /* A */
}

static NOINLINE void get(int &place) {
  keep(place); /* B */
}

int main() {
  auto object = std::make_shared<int>(0);
  std::thread one([object] {
    inv_step(1);
    put(*object);
    inv_step(2);
  });
  std::thread two([object] {
    inv_step(3);
    get(*object);
  });
  inv_step(0);
  one.join();
  two.join();
}
