// verdict: none
// tsan: unsteady; its gcc version hangs
// Signals arrive while threads lock and unlock a mutex; the handler touches an atomic only.
#include <signal.h>
#include <unistd.h>

#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared, handled;

static void handler(int number) {
  (void)number;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *worker(void *arg) {
  for (int i = 0; i < 3000; i++) {
    pthread_mutex_lock(&mutex);
    shared += 1;
    pthread_mutex_unlock(&mutex);
  }
  inv_advance();
  inv_wait(3);
  return arg;
}

int main(void) {
  pthread_t threads[2];
  signal(SIGUSR1, handler);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, 0);
  while (inv_now() < 2)
    for (int i = 0; i < 2; i++) pthread_kill(threads[i], SIGUSR1);
  inv_advance();
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return shared == 6000 ? 0 : 1;
}
