// verdict: none
// Several pieces at once with writev and readv.
#include <sys/uio.h>
#include <unistd.h>

#include "../two.h"

int ends[2];
int shared;

static void *first(void *arg) {
  char message = 7;
  shared = 1;
  char more = 8;
  struct iovec pieces[2] = {{&message, 1}, {&more, 1}};
  if (writev(ends[1], pieces, 2) != 2) return 0;
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  char message = 0;
  char more = 0;
  struct iovec pieces[2] = {{&message, 1}, {&more, 1}};
  if (readv(ends[0], pieces, 2) < 1) return 0;
  keep(message);
  keep(shared);
  return arg;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(first, second);
}
