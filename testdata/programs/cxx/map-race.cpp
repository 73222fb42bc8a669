// verdict: race
// race: write A, read B
// A value in a map is written while another thread reads it.
#include <map>
#include <thread>

#include "../invisible.h"

static std::map<int, long> numbers;

static NOINLINE void put(long &place) {
  place = 1; /* A */
}

static NOINLINE long get(const long &place) {
  return place; /* B */
}

int main() {
  for (int i = 0; i < 10; i++) numbers[i] = 0;
  std::thread one([] {
    put(numbers.find(5)->second);
    inv_step(0);
  });
  std::thread two([] {
    inv_step(1);
    keep(get(numbers.find(5)->second));
  });
  one.join();
  two.join();
}
