// verdict: none
// A mutex that processes may share, in mapped memory, used by two threads of one.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../two.h"

static struct shared {
  pthread_mutex_t mutex;
  int value;
} *shared;

static void *first(void *arg) {
  pthread_mutex_lock(&shared->mutex);
  shared->value = 1;
  pthread_mutex_unlock(&shared->mutex);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&shared->mutex);
  shared->value = 2;
  pthread_mutex_unlock(&shared->mutex);
  return arg;
}

int main(void) {
  pthread_mutexattr_t attr;
  shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &attr);
  run_two(first, second);
  pthread_mutex_destroy(&shared->mutex);
  munmap(shared, 4096);
}
