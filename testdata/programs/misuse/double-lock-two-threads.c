// verdict: double-lock
// A lock of the program's own making lets a second thread in while the first is inside.
#include "../annotations/annotations.h"
#include "../two.h"

int lock;

static void *first(void *arg) {
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  return arg;
}

int main(void) {
  __tsan_mutex_create(&lock, 0);
  run_two(first, second);
}
