// verdict: read-lock-of-write-locked
// A lock of the program's own making is taken for reading by the thread that has it for writing.
#include "../annotations/annotations.h"
#include "../two.h"

int lock;

int main(void) {
  __tsan_mutex_create(&lock, 0);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  __tsan_mutex_pre_lock(&lock, READ_LOCK);
  __tsan_mutex_post_lock(&lock, READ_LOCK, 0);
}
