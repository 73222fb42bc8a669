// verdict: race
// race: write A, read B
// prints: ended once, 66
// tsan: unsteady; it tells the end twice
// A virtual machine ends before its process does: the end is told once.
#include <stdio.h>

#include "../two.h"
#include "annotations.h"

int shared, ended;

int __tsan_on_finalize(int failed) {
  ended++;
  return failed;
}

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(shared); /* B */
  return arg;
}

__attribute__((destructor)) static void last(void) {
  printf("ended %s, ", ended == 1 ? "once" : "often");
  printf("%d\n", __tsan_java_fini());
}

int main(void) {
  run_two(first, second);
  __tsan_java_fini();
}
