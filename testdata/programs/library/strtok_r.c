// verdict: none
// needs: -fno-builtin
// strtok_r keeps where it is where the program says.
#include <string.h>

#include "../two.h"

char one[] = "a b", two[] = "c d";

static void *first(void *arg) {
  char *rest;
  keep(strtok_r(one, " ", &rest));
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *rest;
  keep(strtok_r(two, " ", &rest));
  return arg;
}

int main(void) { run_two(first, second); }
