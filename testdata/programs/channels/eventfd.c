// verdict: none
// A counter in the kernel.
#include <sys/eventfd.h>
#include <unistd.h>

#include "../two.h"

int counter;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  unsigned long one = 1;
  if (write(counter, &one, sizeof one) != sizeof one) return 0;
  keep(message);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  unsigned long one = 0;
  if (read(counter, &one, sizeof one) != sizeof one) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  counter = eventfd(0, 0);
  run_two(first, second);
}
