// verdict: none
// prints: one
// Other programs, started in the ways that libc has.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../two.h"

extern char **environ;

int main(void) {
  char *const arguments[] = {"sh", "-c", "exit 3", 0};
  char line[16] = "";
  int status = 0;
  pid_t child;
  if (WEXITSTATUS(system("exit 2")) != 2) return 1;
  if (posix_spawn(&child, "/bin/sh", 0, 0, arguments, environ) != 0) return 2;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 3;
  FILE *output = popen("echo one", "r");
  if (output == 0 || fgets(line, sizeof line, output) == 0 || pclose(output) != 0) return 4;
  fputs(line, stdout);
  child = vfork();
  if (child == 0) {
    execv("/bin/sh", arguments);
    _exit(1);
  }
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 5;
}
