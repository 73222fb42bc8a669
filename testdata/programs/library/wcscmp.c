// verdict: race
// race: write A, read B
// needs: -fno-builtin
// tsan: misses; it does not look at what this call touches
// wcscmp reads both texts up to where they differ.
#include <wchar.h>

#include "../two.h"

wchar_t shared[4] = L"abc";

static void *first(void *arg) {
  shared[1] = L'x'; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(wcscmp(shared, L"abc")); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
