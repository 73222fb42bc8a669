// verdict: none
// The kind of lock that lets writers go first, under contention.
#define _GNU_SOURCE
#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
int shared;

static void *writer(void *arg) {
  for (int i = 0; i < 200; i++) {
    pthread_rwlock_wrlock(&lock);
    shared += 1;
    pthread_rwlock_unlock(&lock);
  }
  return arg;
}

static void *reader(void *arg) {
  for (int i = 0; i < 200; i++) {
    pthread_rwlock_rdlock(&lock);
    keep(shared);
    pthread_rwlock_unlock(&lock);
  }
  return arg;
}

int main(void) { run_two(writer, reader); }
