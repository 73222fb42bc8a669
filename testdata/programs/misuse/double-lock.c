// verdict: double-lock
// tsan: misses; it takes the lock for a recursive one
// A lock of the program's own making is taken twice by one thread.
#include "../annotations/annotations.h"
#include "../two.h"

int lock;

int main(void) {
  __tsan_mutex_create(&lock, 0);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
}
