// verdict: race
// race: write A, write B
// A lock of the program's own making was tried, and the try failed.
#include "../two.h"
#include "annotations.h"

int lock;
int shared;

static void *first(void *arg) {
  __tsan_mutex_pre_lock(&lock, TRY_LOCK);
  __tsan_mutex_post_lock(&lock, TRY_LOCK, 0);
  shared = 1; /* A */
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  __tsan_mutex_pre_lock(&lock, TRY_LOCK);
  __tsan_mutex_post_lock(&lock, TRY_LOCK | TRY_LOCK_FAILED, 0);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
