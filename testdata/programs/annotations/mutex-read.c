// verdict: none
// Readers of an annotated lock, then a writer.
#include "../two.h"
#include "annotations.h"

int lock;
int shared;

static void *first(void *arg) {
  __tsan_mutex_pre_lock(&lock, READ_LOCK);
  __tsan_mutex_post_lock(&lock, READ_LOCK, 0);
  keep(shared);
  __tsan_mutex_pre_unlock(&lock, READ_LOCK);
  __tsan_mutex_post_unlock(&lock, READ_LOCK);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  shared = 1;
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
  return arg;
}

int main(void) { run_two(first, second); }
