// verdict: none
// A handler for SIGSEGV that jumps back out of it.
#include <setjmp.h>
#include <signal.h>

#include "../two.h"

static sigjmp_buf back;

static void handler(int number) { siglongjmp(back, number); }

static NOINLINE void crash(int *place) { *place = 1; }

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGSEGV, &action, 0);
  for (int i = 0; i < 3; i++) {
    int number = sigsetjmp(back, 1);
    if (number == 0) {
      crash(opaque((int *)8));
      return 1;
    }
    if (number != SIGSEGV) return 2;
  }
}
