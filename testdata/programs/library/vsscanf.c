// verdict: race
// race: read A, write B
// A function of the program that passes its arguments on to vsscanf.
#include <stdarg.h>
#include <stdio.h>

#include "../two.h"

int shared;

static NOINLINE int parse(const char *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsscanf(text, format, list); /* B */
  va_end(list);
  return n;
}

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(parse("12", "%d", &shared));
  return arg;
}

int main(void) { run_two(first, second); }
