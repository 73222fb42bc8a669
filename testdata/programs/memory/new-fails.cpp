// verdict: none
// tsan: unsteady; its allocator ends the program when a request is too large
// needs: -Wno-alloc-size-larger-than
// operator new throws when there is no memory.
#include <new>

#include "../two.h"

int main() {
  try {
    char *block = new char[opaque(~0ul >> 1)];
    keep(block);
  } catch (const std::bad_alloc &) {
    char *block = new (std::nothrow) char[opaque(~0ul >> 1)];
    keep(block);
    return block == nullptr ? 0 : 2;
  }
  return 1;
}
