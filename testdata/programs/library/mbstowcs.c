// verdict: race
// race: read A, write B
// needs: -fno-builtin
// mbstowcs writes wide characters.
#include <stdlib.h>

#include "../two.h"

wchar_t shared[8];

static void *first(void *arg) {
  keep(shared[2]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(mbstowcs(shared, "abc", 8)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
