// verdict: object-race
// race: write A, read B
// stack: A append first
// stack: B look second
// tsan: unsteady; frames come twice
// Two threads use an object that a library watches over, and one changes it.
#include <stdlib.h>

#include "../two.h"
#include "annotations.h"

static void *tag;
static char *list;

static NOINLINE void append(void) {
  __tsan_external_write(list, __builtin_return_address(0), tag); /* A */
}

static NOINLINE void look(void) {
  __tsan_external_read(list, __builtin_return_address(0), tag); /* B */
}

static NOINLINE void *first(void *arg) {
  append();
  inv_step(0);
  return arg;
}

static NOINLINE void *second(void *arg) {
  inv_step(1);
  look();
  return arg;
}

int main(void) {
  tag = __tsan_external_register_tag("List");
  list = malloc(16);
  __tsan_external_assign_tag(list, tag);
  run_two(first, second);
  free(list);
}
