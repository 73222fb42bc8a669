// Functions and variables with names that the linker mangles, for the program or for a library of its own.
#include <cstdio>

#include "where.h"

namespace bank {
long total;

template <class T> struct Account {
    T amount;
    NOINLINE void deposit(T more) {
        amount += more;
        here(); // the call in deposit
        total += amount;
    }
};
} // namespace bank

void library() {
    static int calls[3];
    std::printf("total %lx\n", (unsigned long)&bank::total);
    std::printf("calls %lx\n", (unsigned long)&calls[1]);
    bank::Account<int> account{calls[1]};
    account.deposit(5);
    calls[1]++;
}
