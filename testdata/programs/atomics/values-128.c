// verdict: none
// needs: -mcx16
// only: clang; gcc calls libatomic for 128 bits, which no runtime sees
// Operations on 128 bits act on all of them, and order.
#include "../two.h"

typedef unsigned __int128 wide;
#define WIDE(high, low) (((wide)(high) << 64) | (low))
wide counter = WIDE(5, -1ull);
int shared;

static void *first(void *arg) {
  shared = 1;
  __atomic_fetch_add(&counter, 1, __ATOMIC_ACQ_REL);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  wide expected = WIDE(6, 0);
  inv_step(1);
  if (__atomic_compare_exchange_n(&counter, &expected, WIDE(8, 9), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) keep(shared);
  return arg;
}

int main(void) {
  run_two(first, second);
  return __atomic_exchange_n(&counter, 0, __ATOMIC_SEQ_CST) == WIDE(8, 9) ? 0 : 1;
}
