// verdict: none
// tsan: false alarm; it does not see system calls made through syscall()
// The same reuse of addresses, by system calls that go past libc's mmap.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../two.h"

void *place;

static void use(void) {
  char *map = (char *)syscall(SYS_mmap, place, 8192, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (map != place) __builtin_trap();
  map[0] = map[4097] = 1;
  keep(map[opaque(0)]);
  syscall(SYS_munmap, map, 8192);
}

static void *first(void *arg) {
  use();
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  use();
  return arg;
}

int main(void) {
  char *found = mmap(0, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  place = found + (1 << 15);
  munmap(place, 8192);
  run_two(first, second);
}
