// verdict: none
// Whoever drops the last reference frees: the others' decrements release, the last acquires.
#include <stdlib.h>

#include "../two.h"

struct object {
  int references;
  int values[2];
} *object;

static void drop(void) {
  if (__atomic_fetch_sub(&object->references, 1, __ATOMIC_ACQ_REL) == 1) free(object);
}

static void *first(void *arg) {
  object->values[0] = 1;
  drop();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  object->values[1] = 1;
  drop();
  return arg;
}

int main(void) {
  object = calloc(1, sizeof *object);
  object->references = 2;
  run_two(first, second);
}
