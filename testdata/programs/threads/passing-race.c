// verdict: race
// race: write A, read B
// tsan-clang: misses; the write is forgotten when its slot is taken by another thread
// A thread ends, what it released is gone, others take its place, and who knows all of these does not know that one.
#include "../passing.h"
#include "../two.h"

int shared;

static void *writer(void *arg) {
  shared = 1; /* A */
  pass_by(0);
  return arg;
}

int main(void) {
  pthread_t thread;
  const unsigned long others = threads_alive();
  pthread_create(&thread, 0, writer, 0);
  pthread_detach(thread);
  while (threads_alive() > others) inv_yield();
  let_pass(1000, 0);
  let_pass(1000, &passing_total);
  pthread_mutex_lock(&passing_mutex);
  keep(passing_total);
  pthread_mutex_unlock(&passing_mutex);
  keep(shared); /* B */
}
