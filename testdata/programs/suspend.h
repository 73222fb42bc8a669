// A thread that waits for a signal, however long that takes.
#ifndef SUSPEND_H
#define SUSPEND_H

#include <pthread.h>
#include <signal.h>

/* The signal comes only where the thread waits for it. */
static inline __attribute__((unused)) void hold_back(int number) {
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, 0);
}

/* Lets held signals in until a handler has made the condition true. None comes between the look and the wait. */
#define SUSPEND_UNTIL(condition)               \
  do {                                         \
    sigset_t none;                             \
    sigemptyset(&none);                        \
    while (!(condition)) sigsuspend(&none);    \
  } while (0)

#endif
