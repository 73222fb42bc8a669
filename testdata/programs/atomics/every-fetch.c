// verdict: none
// Each read-modify-write operation hands over and takes over.
#include "../two.h"

enum { OPERATIONS = 7 };
unsigned flag[OPERATIONS];
int shared[OPERATIONS];

static NOINLINE unsigned operate(int operation) {
  unsigned *f = &flag[operation];
  switch (operation) {
    case 0: return __atomic_fetch_add(f, 3, __ATOMIC_ACQ_REL);
    case 1: return __atomic_fetch_sub(f, 3, __ATOMIC_ACQ_REL);
    case 2: return __atomic_fetch_and(f, 3, __ATOMIC_ACQ_REL);
    case 3: return __atomic_fetch_or(f, 3, __ATOMIC_ACQ_REL);
    case 4: return __atomic_fetch_xor(f, 3, __ATOMIC_ACQ_REL);
    case 5: return __atomic_fetch_nand(f, 3, __ATOMIC_ACQ_REL);
    default: return __atomic_exchange_n(f, 3, __ATOMIC_ACQ_REL);
  }
}

static void *first(void *arg) {
  for (int i = 0; i < OPERATIONS; i++) {
    shared[i] = 1;
    operate(i);
  }
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  for (int i = 0; i < OPERATIONS; i++) {
    operate(i);
    keep(shared[i]);
  }
  return arg;
}

int main(void) {
  static const unsigned before[OPERATIONS] = {5, 5, 5, 5, 5, 5, 5}, after[OPERATIONS] = {11, -1u, 1, 7, 5, 1, 3};
  for (int i = 0; i < OPERATIONS; i++) flag[i] = before[i];
  run_two(first, second);
  for (int i = 0; i < OPERATIONS; i++)
    if (i != 5 && flag[i] != after[i]) return i + 1;
  return flag[5] == ~(~(5u & 3) & 3) ? 0 : 6;
}
