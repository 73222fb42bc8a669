// verdict: destroy-locked
// A readers-writer lock is destroyed while it is held for writing.
#include "../two.h"

pthread_rwlock_t lock;

int main(void) {
  pthread_rwlock_init(&lock, 0);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_destroy(&lock);
}
