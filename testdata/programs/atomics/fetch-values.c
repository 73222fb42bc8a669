// verdict: none
// The runtime performs the atomic operations: results and values of all of them, for all widths.
#include "../two.h"

#define CHECK(condition) \
  if (!(condition)) return __LINE__ & 127

#define ALL(type)                                                                            \
  static NOINLINE int check_##type(type *p) {                                                \
    type expected = 9;                                                                       \
    __atomic_store_n(p, 12, __ATOMIC_SEQ_CST);                                               \
    CHECK(__atomic_load_n(p, __ATOMIC_SEQ_CST) == 12);                                       \
    CHECK(__atomic_fetch_add(p, 3, __ATOMIC_RELAXED) == 12);                                 \
    CHECK(__atomic_fetch_sub(p, 1, __ATOMIC_RELAXED) == 15);                                 \
    CHECK(__atomic_fetch_and(p, 12, __ATOMIC_RELAXED) == 14);                                \
    CHECK(__atomic_fetch_or(p, 3, __ATOMIC_RELAXED) == 12);                                  \
    CHECK(__atomic_fetch_xor(p, 5, __ATOMIC_RELAXED) == 15);                                 \
    CHECK(__atomic_fetch_nand(p, 6, __ATOMIC_RELAXED) == 10);                                \
    CHECK(__atomic_exchange_n(p, 7, __ATOMIC_ACQ_REL) == (type)~2);                          \
    CHECK(!__atomic_compare_exchange_n(p, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
    CHECK(expected == 7);                                                                    \
    CHECK(__atomic_compare_exchange_n(p, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
    CHECK(*p == 1);                                                                          \
    return 0;                                                                                \
  }

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
ALL(u8)
ALL(u16)
ALL(u32)
ALL(u64)

int main(void) {
  static u8 a[2];
  static u16 b[2];
  static u32 c[2];
  static u64 d[2];
  int wrong = check_u8(a) | check_u16(b) | check_u32(c) | check_u64(d);
  return wrong | a[1] | b[1] | (int)c[1] | (int)d[1];
}
