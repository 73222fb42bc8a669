/* A program that writes, copies, and has the C library allocate for it. */
#include <stdlib.h>
#include <string.h>

void __tsan_stand_in_report(void);

int shared;
char from[100], to[100];

int main(int argc, char **argv) {
  shared = argc;
  void *(*volatile copy)(void *, const void *, size_t) = memcpy;
  copy(to, from, sizeof from);
  char *text = strdup(argv[0]);
  __tsan_stand_in_report();
  return text == 0;
}
