// Prints where its modules and variables are, and a return address within an inlined function.
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>

#include "where.h"

int balance;
static int hidden[4];
static _Thread_local int own = 7;

static int module(struct dl_phdr_info *info, size_t size, void *data) {
    unsigned long start = -1ul, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        unsigned long from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
        start = from < start ? from : start;
        end = to > end ? to : end;
    }
    printf("module %lx %lx %lx %s\n", (unsigned long)info->dlpi_addr, start, end, info->dlpi_name);
    return 0;
}

NOINLINE void here(void) {
    printf("return %lx\n", (unsigned long)__builtin_return_address(0));
    balance++;
}

INLINE void inner(int *p) {
    here(); // the call in inner
    *p += 1;
}

NOINLINE void outer(void) {
    inner(&hidden[2]); // the call in outer
    hidden[1] = own;
}

int main(void) {
    dl_iterate_phdr(module, 0);
    printf("balance %lx\n", (unsigned long)&balance);
    printf("hidden %lx\n", (unsigned long)&hidden[2]);
    outer();
    library();
    return 0;
}
