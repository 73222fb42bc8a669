// verdict: none
// The owner of a robust mutex ends without an unlock; the next owner repairs it and is ordered after the first.
#include <errno.h>

#include "../two.h"

pthread_mutex_t mutex;
int shared;

static void *first(void *arg) {
  pthread_mutex_lock(&mutex);
  shared = 1;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attr);
  pthread_create(&thread, 0, first, 0);
  pthread_join(thread, 0);
  if (pthread_mutex_lock(&mutex) != EOWNERDEAD) return 1;
  pthread_mutex_consistent(&mutex);
  shared = 2;
  pthread_mutex_unlock(&mutex);
  if (pthread_mutex_lock(&mutex) != 0) return 2;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
}
