// verdict: none
// tsan: unsteady; its allocator ends the program when a request is too large
// The whole usable size of a block may be used, and odd requests get odd answers as from any malloc.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../two.h"

int main(void) {
  char *block = malloc(13);
  size_t size = malloc_usable_size(block);
  if (size < 13) return 1;
  memset(block, 1, size);
  free(block);
  free(0);
  free(malloc(0));
  if (malloc_usable_size(0) != 0) return 2;
  errno = 0;
  char *huge = malloc(opaque((size_t)PTRDIFF_MAX));
  keep(huge);
  if (huge != 0 || errno != ENOMEM) return 3;
  huge = calloc(opaque((size_t)1 << 33), (size_t)1 << 33);
  keep(huge);
  if (huge != 0) return 4;
  block = realloc(0, 8);
  if (block == 0) return 5;
  free(block);
}
