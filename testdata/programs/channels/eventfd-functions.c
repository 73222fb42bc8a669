// verdict: none
// The same counter by its own functions.
#include <sys/eventfd.h>
#include <unistd.h>

#include "../two.h"

int counter;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (eventfd_write(counter, 1) != 0) return 0;
  keep(message);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  eventfd_t one = 0;
  if (eventfd_read(counter, &one) != 0) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  counter = eventfd(0, 0);
  run_two(first, second);
}
