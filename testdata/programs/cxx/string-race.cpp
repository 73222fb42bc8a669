// verdict: race
// race: write A, read B
// A character of a string, written and read through references.
#include <string>
#include <thread>

#include "../invisible.h"

static std::string text = "a text that is too long for the object itself";

static NOINLINE void put(char &place) {
  place = 'x'; /* A */
}

static NOINLINE char get(const char &place) {
  return place; /* B */
}

int main() {
  char *start = &text[0];
  std::thread one([start] {
    put(start[4]);
    inv_step(0);
  });
  std::thread two([start] {
    inv_step(1);
    keep(get(start[4]));
  });
  one.join();
  two.join();
}
