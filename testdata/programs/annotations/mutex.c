// verdict: none
// A lock of the program's own making, told by annotations.
#include "../two.h"
#include "annotations.h"

int lock;
static void acquire(void) {
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
}
static void release(void) {
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
}
int shared;

static void *first(void *arg) {
  acquire();
  shared = 1;
  release();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  acquire();
  shared = 2;
  release();
  return arg;
}

int main(void) {
  __tsan_mutex_create(&lock, 0);
  run_two(first, second);
}
