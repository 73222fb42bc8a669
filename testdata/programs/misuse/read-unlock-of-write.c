// verdict: read-unlock-of-write-locked
// A lock that was taken for writing is given up as if for reading.
#include "../annotations/annotations.h"
#include "../two.h"

int lock;

int main(void) {
  __tsan_mutex_create(&lock, 0);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  __tsan_mutex_pre_unlock(&lock, READ_LOCK);
  __tsan_mutex_post_unlock(&lock, READ_LOCK);
}
