// Signals: from a timer to anybody, from one thread to another, waited for, and from faults.
#include "soak.h"
#include <atomic>
#include <climits>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static std::atomic<uint64_t> handled;
static thread_local sigjmp_buf after_fault;
static thread_local const volatile char *forbidden_page;
static thread_local unsigned own_handled;

uint64_t handled_signals() { return handled; }

// Calls nothing that a thread can be cancelled in: C libraries before glibc 2.41 may then wait for themselves.
static void count(int) {
  const int kept = errno;
  handled++;
  own_handled++;
  kill(INT_MAX, 0);
  errno = kept;
}

// Back to `faults`; what else faults ends the soak.
static void leave_fault(int, siginfo_t *info, void *) {
  if (forbidden_page && info->si_addr >= forbidden_page && info->si_addr < forbidden_page + 4096)
    siglongjmp(after_fault, 1);
  signal(SIGSEGV, SIG_DFL);
}

static void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  MUST(sigaction(signal, &action, nullptr) == 0);
}

void prepare_signals() {
  handle(SIGALRM, count, SA_RESTART);
  handle(SIGUSR1, count, SA_RESTART | SA_ONSTACK);
  handle(SIGUSR2, count, SA_RESTART | SA_NODEFER);
  struct sigaction fault = {};
  fault.sa_sigaction = leave_fault;
  fault.sa_flags = SA_SIGINFO;
  MUST(sigaction(SIGSEGV, &fault, nullptr) == 0);
  // SIGRTMIN is only waited for; every later thread inherits that.
  sigset_t waited;
  sigemptyset(&waited);
  sigaddset(&waited, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  const itimerval often = {{0, 3000}, {0, 3000}};
  MUST(setitimer(ITIMER_REAL, &often, nullptr) == 0);
}

void pestered_threads(Dice &dice) {
  std::atomic<bool> done{false}, ready{false};
  const unsigned times = 20 + dice.roll(60);
  pthread_t thread = start([&] {
    constexpr size_t SIZE = 64 << 10;
    stack_t stack = {};
    stack.ss_sp = malloc(SIZE);
    stack.ss_size = SIZE;
    MUST(sigaltstack(&stack, nullptr) == 0);
    ready = true;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    unsigned turns = 0;
    while (!done) {
      pthread_mutex_lock(&mutex);
      char *block = static_cast<char *>(malloc(1 + turns % 3000));
      block[0] = 1;
      free(block);
      pthread_mutex_unlock(&mutex);
      if (turns++ % 16 == 0)
        join(start([] {}));
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    stack.ss_flags = SS_DISABLE;
    MUST(sigaltstack(&stack, nullptr) == 0);
    free(stack.ss_sp);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
  while (!ready)
    sched_yield();
  for (unsigned i = 0; i < times; i++) {
    MUST(pthread_kill(thread, i % 2 ? SIGUSR1 : SIGUSR2) == 0);
    if (i % 4 == 0)
      for (unsigned n = dice.roll(20); n > 0; n--)
        sched_yield();
  }
  done = true;
  join(thread);
}

void waited_signals(Dice &dice) {
  unsigned before = 0, got = 0;
  pthread_t thread = start([&] {
    sigset_t waited;
    sigemptyset(&waited);
    sigaddset(&waited, SIGRTMIN);
    siginfo_t info;
    MUST(again([&] { return sigwaitinfo(&waited, &info); }) == SIGRTMIN);
    got = before;
  });
  before = 1 + dice.roll(1000);
  MUST(pthread_kill(thread, SIGRTMIN) == 0);
  join(thread);
  MUST(got == before);
}

void faults(Dice &dice) {
  auto *page = static_cast<volatile char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  MUST(page != MAP_FAILED);
  forbidden_page = page;
  for (unsigned i = 0; i <= dice.roll(5); i++)
    if (sigsetjmp(after_fault, 1) == 0) {
      page[dice.roll(4096)] = 1;
      fail("a write to a page without rights", __FILE__, __LINE__);
    }
  forbidden_page = nullptr;
  munmap(const_cast<char *>(page), 4096);
}
