// verdict: race
// race: write A, write B
// The child has a race of its own, and tells by its exit status.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  shared = 2; /* B */
  return arg;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    run_two(first, second);
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
