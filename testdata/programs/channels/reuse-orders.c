// verdict: none
// tsan: false alarm; does not know that a number is given out again only after it was closed
// What one thread did before it closed a descriptor happens before what another does with the file that has got the same number, as servers rely on that keep connections in an array.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

int shared[1024];

static void *first(void *arg) {
  int file = open("/dev/zero", O_RDONLY);
  if (file < 0) __builtin_trap();
  shared[file] = 1;
  close(file);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  int file = open("/dev/null", O_RDONLY);
  if (file < 0) __builtin_trap();
  keep(shared[file]);
  close(file);
  return arg;
}

int main(void) { run_two(first, second); }
