// verdict: none
// needs: c++20
// std::jthread is asked to stop and joined by its destructor.
#include <stop_token>
#include <thread>

#include "../invisible.h"

int shared;

int main() {
  {
    std::jthread thread([](std::stop_token token) {
      while (!token.stop_requested()) inv_yield();
      shared += 1;
    });
    shared = 1;
    thread.request_stop();
  }
  return shared - 2;
}
