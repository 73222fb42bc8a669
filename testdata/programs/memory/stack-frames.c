// verdict: none
// A thread lends a stack variable, gets it back by a join, and reuses the place for other frames.
#include "../two.h"

static void *writer(void *arg) {
  *(int *)arg = 1;
  return 0;
}

static NOINLINE int lend(void) {
  pthread_t thread;
  int local = 0;
  pthread_create(&thread, 0, writer, &local);
  pthread_join(thread, 0);
  return local;
}

static NOINLINE int reuse(int depth) {
  int local[8];
  for (int i = 0; i < 8; i++) local[opaque(i)] = depth;
  return depth == 0 ? local[opaque(3)] : reuse(depth - 1) + local[opaque(1)];
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += lend();
    keep(reuse(10));
  }
  return sum - 3;
}
