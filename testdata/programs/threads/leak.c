// verdict: thread-leak
// A thread that ended and was neither joined nor detached. That it has ended, the kernel tells: its id is gone.
#include <sys/syscall.h>
#include <unistd.h>

#include "../two.h"

static long number; /* atomic, but orders nothing */

static void *worker(void *arg) {
  __atomic_store_n(&number, syscall(SYS_gettid), __ATOMIC_RELAXED);
  inv_step(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  long process = syscall(SYS_getpid);
  pthread_create(&thread, 0, worker, 0);
  inv_step(1);
  long id = __atomic_load_n(&number, __ATOMIC_RELAXED);
  while (syscall(SYS_tgkill, process, id, 0) == 0) inv_yield();
}
