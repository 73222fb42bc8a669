// verdict: none
// A segment of shared memory goes; what is mapped there next, by whatever way, is fresh memory.
// tsan: false alarm; it does not see shmdt
#include <sys/mman.h>
#include <sys/shm.h>

#include "../two.h"

char *place;

/* mmap that no detector sees. */
static void *map(void *at) {
  long result = 9;
  register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  register long fd __asm__("r8") = -1;
  register long offset __asm__("r9") = 0;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(at), "S"(4096L), "d"((long)(PROT_READ | PROT_WRITE)), "r"(flags), "r"(fd), "r"(offset)
                   : "rcx", "r11", "memory");
  return (void *)result;
}

static void *first(void *arg) {
  int id = shmget(IPC_PRIVATE, 4096, 0600);
  if (shmat(id, place, 0) != place) __builtin_trap();
  shmctl(id, IPC_RMID, 0);
  place[0] = 1;
  shmdt(place);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char *again = map(place);
  again[0] = 2;
  return arg;
}

int main(void) {
  char *found = mmap(0, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  place = found + (1 << 15);
  munmap(place, 4096);
  run_two(first, second);
}
