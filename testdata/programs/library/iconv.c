// verdict: race
// race: read A, write B
// iconv writes what it has converted.
#include <iconv.h>

#include "../two.h"

char shared[8];

static void *first(void *arg) {
  keep(shared[1]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char text[] = "abc", *from = text, *to = shared;
  size_t left = 3, room = 8;
  iconv_t way = iconv_open("UTF-8", "ASCII");
  keep(iconv(way, &from, &left, &to, &room)); /* B */
  iconv_close(way);
  return arg;
}

int main(void) { run_two(first, second); }
