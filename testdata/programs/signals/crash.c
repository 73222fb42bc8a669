// verdict: none
// tsan: unsteady; it turns a crash into its own exit status
// exit: 139
// A program that crashes by itself dies of the signal, as it would without a detector.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

static NOINLINE void crash(int *place) { *place = 1; }

int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  pid_t child = fork();
  if (child == 0) crash(opaque((int *)8));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
}
