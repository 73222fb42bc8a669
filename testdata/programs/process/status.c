// verdict: none
// exit: 42
// prints: out
// The program's own status and output stay what they are.
#include <stdio.h>

#include "../two.h"

int main(void) {
  puts("out");
  return 42;
}
