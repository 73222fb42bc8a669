// verdict: none
// Several threads write to standard output and format into streams of their own.
#include <iostream>
#include <sstream>
#include <thread>

#include "../invisible.h"

static void work(int number) {
  for (int i = 0; i < 20; i++) {
    std::ostringstream line;
    line << "thread " << number << " line " << i << " " << 1.5 * i << '\n';
    std::cout << line.str();
  }
}

int main() {
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
  std::cout << std::flush;
}
