// verdict: none
// tsan: false alarm; it does not see what this orders
// A semaphore of System V goes up before those come through who wait for it.
#include <sys/ipc.h>
#include <sys/sem.h>

#include "../two.h"

int set, shared;

static void *first(void *arg) {
  struct sembuf up = {0, 1, 0};
  shared = 7;
  semop(set, &up, 1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct sembuf down = {0, -1, 0};
  if (semop(set, &down, 1) != 0) return 0;
  keep(shared);
  return arg;
}

int main(void) {
  set = semget(IPC_PRIVATE, 1, 0600);
  run_two(first, second);
  semctl(set, 0, IPC_RMID);
}
