// Detached threads that come and go, one after the other, each with a mutex of its own: what they release there nobody ever learns.
#ifndef PASSING_H
#define PASSING_H

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "invisible.h"

static pthread_mutex_t passing_mutex __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
static unsigned long passing_total __attribute__((unused));

/* The mutex is no more when the thread ends. With an argument, everybody learns of it all the same. */
static void *pass_by(void *shared) {
  pthread_mutex_t *own = malloc(sizeof *own);
  pthread_mutex_init(own, 0);
  pthread_mutex_lock(own);
  pthread_mutex_unlock(own);
  pthread_mutex_destroy(own);
  free(own);
  if (shared) {
    pthread_mutex_lock(&passing_mutex);
    passing_total++;
    pthread_mutex_unlock(&passing_mutex);
  }
  return 0;
}

/* So many threads are there, by the links of a folder that has one for each: no detector learns anything from that. */
INV_INLINE unsigned long threads_alive(void) {
  struct stat folder;
  stat("/proc/self/task", &folder);
  return folder.st_nlink - 2;
}

/* So many threads, each gone before the next begins. */
static __attribute__((unused)) void let_pass(unsigned count, void *shared) {
  const unsigned long others = threads_alive();
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (unsigned i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &detached, pass_by, shared)) abort();
    while (threads_alive() > others) inv_yield();
  }
  pthread_attr_destroy(&detached);
}

#endif
