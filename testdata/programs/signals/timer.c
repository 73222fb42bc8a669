// verdict: none
// tsan: unsteady; hangs, since it delivers signals only in calls that block
// A timer's signal interrupts a thread that only computes, and is handled there.
#include <signal.h>
#include <sys/time.h>

#include "../two.h"

int ticks;

static void handler(int number) {
  (void)number;
  __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

int main(void) {
  struct itimerval period = {{0, 1000}, {0, 1000}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &period, 0);
  while (__atomic_load_n(&ticks, __ATOMIC_RELAXED) < 5) inv_yield();
}
