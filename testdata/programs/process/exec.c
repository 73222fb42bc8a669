// verdict: none
// exit: 7
// A program replaces itself by another.
#include <unistd.h>

#include "../two.h"

int main(void) {
  execl("/bin/sh", "sh", "-c", "exit 7", (char *)0);
  return 1;
}
