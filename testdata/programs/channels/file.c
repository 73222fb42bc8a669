// verdict: none
// Through a file: one thread writes it, another reads it by the same descriptor.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

int file;
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  if (pwrite(file, &message, 1, 0) != 1) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  while (pread(file, &message, 1, 0) != 1) inv_yield();
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  file = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
  run_two(first, second);
}
