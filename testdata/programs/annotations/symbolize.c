// verdict: none
// prints: main symbolize.c; shared;
// A program asks for the names of its functions and variables.
#include <stdio.h>
#include <string.h>

#include "../two.h"
#include "annotations.h"

int shared;

static NOINLINE void *here(void) { return __builtin_return_address(0); }

int main(void) {
  char function[64], file[256], global[64];
  void *pc = here();
  __sanitizer_symbolize_pc(pc, "%f", function, sizeof function);
  __sanitizer_symbolize_pc(pc, "%s", file, sizeof file);
  __sanitizer_symbolize_global(&shared, "%g", global, sizeof global);
  char *name = strrchr(file, '/');
  printf("%s %s; %s;\n", function, name ? name + 1 : file, global);
}
