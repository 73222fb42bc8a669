// verdict: none
// tsan: unsteady; its deadlock detector fails when a thread holds more than 64 locks
// A thread holds a hundred mutexes at once.
#include "../two.h"

enum { LOCKS = 100 };
pthread_mutex_t mutexes[LOCKS];
int shared;

static void *worker(void *arg) {
  inv_advance();
  inv_wait(2);
  for (int i = 0; i < LOCKS; i++) pthread_mutex_lock(&mutexes[i]);
  shared += 1;
  for (int i = LOCKS - 1; i >= 0; i--) pthread_mutex_unlock(&mutexes[i]);
  return arg;
}

int main(void) {
  for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&mutexes[i], 0);
  run_two(worker, worker);
  for (int i = 0; i < LOCKS; i++) pthread_mutex_destroy(&mutexes[i]);
  return shared - 2;
}
