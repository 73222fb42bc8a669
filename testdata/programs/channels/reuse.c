// verdict: none
// Descriptors are closed by one thread and their numbers taken by another: a fresh start.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

static void use(void) {
  for (int i = 0; i < 20; i++) {
    char byte;
    int file = open("/dev/zero", O_RDONLY);
    if (file < 0 || read(file, &byte, 1) != 1) __builtin_trap();
    close(file);
  }
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main(void) { run_two(first, second); }
