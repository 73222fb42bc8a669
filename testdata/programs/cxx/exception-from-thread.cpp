// verdict: none
// exit: 134
// An exception that leaves its thread ends the program by abort, as ever.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "../invisible.h"

int main() {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  pid_t child = fork();
  if (child == 0) {
    close(2);
    std::thread([] { throw 1; }).join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
}
