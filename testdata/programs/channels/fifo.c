// verdict: none
// A named pipe, opened at both ends.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  int end = open("fifo", O_WRONLY);
  shared = 1;
  if (write(end, "1", 1) != 1) __builtin_trap();
  close(end);
  return arg;
}

static void *second(void *arg) {
  char byte;
  int end = open("fifo", O_RDONLY);
  if (read(end, &byte, 1) != 1) __builtin_trap();
  keep(shared);
  close(end);
  return arg;
}

int main(void) {
  unlink("fifo");
  if (mkfifo("fifo", 0600) != 0) return 1;
  run_two(first, second);
  unlink("fifo");
}
