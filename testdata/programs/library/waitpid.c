// verdict: race
// race: read A, write B
// waitpid writes the status.
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

int shared;
pid_t child;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(waitpid(child, &shared, 0)); /* B */
  return arg;
}

int main(void) {
  child = fork();
  if (child == 0) _exit(0);
  run_two(first, second);
}
