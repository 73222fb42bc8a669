// verdict: none
// Two readers hold the lock at once; the writer is ordered after both.
#include "../two.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *reader(void *arg) {
  pthread_rwlock_rdlock(&lock);
  inv_advance();
  inv_wait(2);
  keep(shared);
  pthread_rwlock_unlock(&lock);
  inv_advance();
  return arg;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reader, 0);
  inv_wait(4);
  pthread_rwlock_wrlock(&lock);
  shared = 1;
  pthread_rwlock_unlock(&lock);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
