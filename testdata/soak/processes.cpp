// Children: with threads of their own, with another program, and with a race that has to be reported.
#include "soak.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int status_of(pid_t child) {
  int status;
  MUST(again([&] { return waitpid(child, &status, 0); }) == child);
  return status;
}

static void ended_with(pid_t child, int expected) {
  const int status = status_of(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != expected) {
    dprintf(2, "a child ended with %#x and not with status %d\n", status, expected);
    fail("the child's status", __FILE__, __LINE__);
  }
}

// A child that may call `exit`.
static pid_t fork_to_exit() {
  pthread_mutex_lock(&unloading);
  const pid_t child = fork();
  pthread_mutex_unlock(&unloading);
  return child;
}

void children(Dice &dice) {
  const bool at_once = dice.roll(2), grandchild = dice.roll(4) == 0;
  const pid_t child = fork_to_exit();
  MUST(child >= 0);
  if (child == 0) {
    joined_threads(dice);
    blocks(dice);
    conditions(dice);
    detached_threads(dice);
    if (grandchild)
      children(dice);
    if (at_once)
      _exit(0);
    exit(0);
  }
  ended_with(child, 0);
}

// Two threads write the same variable.
int racy;
static void race() {
  pthread_t threads[2];
  for (pthread_t &thread : threads)
    thread = start([] { racy = 1; });
  for (pthread_t thread : threads)
    join(thread);
}

int be_a_program(const char *role) {
  if (!strcmp(role, "race"))
    race();
  Dice dice{7};
  joined_threads(dice);
  return 0;
}

static pid_t start_program(Dice &dice, const char *role, int errors) {
  char self[] = "/proc/self/exe", *arguments[] = {self, const_cast<char *>(role), nullptr};
  if (dice.roll(2)) {
    const pid_t child = dice.roll(2) ? fork() : vfork();
    if (child == 0) {
      if (errors >= 0)
        dup2(errors, 2);
      execv(self, arguments);
      _exit(127);
    }
    return child;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (errors >= 0)
    posix_spawn_file_actions_adddup2(&actions, errors, 2);
  pid_t child;
  MUST(posix_spawn(&child, self, &actions, nullptr, arguments, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

void programs(Dice &dice) {
  const pid_t child = start_program(dice, "idle", -1);
  MUST(child > 0);
  ended_with(child, 0);
}

void racy_children(Dice &dice) {
  int errors[2];
  MUST(pipe2(errors, O_CLOEXEC) == 0);
  pid_t child;
  if (dice.roll(2)) {
    child = start_program(dice, "race", errors[1]);
  } else if ((child = fork_to_exit()) == 0) {
    dup2(errors[1], 2);
    race();
    exit(0);
  }
  MUST(child > 0);
  close(errors[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n; (n = again([&] { return read(errors[0], buffer, sizeof buffer); })) > 0;)
    said.append(buffer, n);
  close(errors[0]);
  ended_with(child, 66);
  const size_t first = said.find("WARNING: ThreadSanitizer: data race");
  const bool once = first != said.npos && said.find("WARNING:", first + 1) == said.npos;
  if (!once)
    dprintf(2, "a child with one race said:\n%s\n", said.c_str());
  MUST(once);
}
