// verdict: none
// Three threads, two flags: order passes through the thread in the middle.
#include "../two.h"

int one, two, shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_store_n(&one, 1, __ATOMIC_RELEASE);
  return arg;
}

static void *second(void *arg) {
  while (!__atomic_load_n(&one, __ATOMIC_ACQUIRE)) inv_yield();
  __atomic_store_n(&two, 1, __ATOMIC_RELEASE);
  return arg;
}

static void *third(void *arg) {
  while (!__atomic_load_n(&two, __ATOMIC_ACQUIRE)) inv_yield();
  shared = 2;
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, third, 0);
  run_two(first, second);
  pthread_join(thread, 0);
}
