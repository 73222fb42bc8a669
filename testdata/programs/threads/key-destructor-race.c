// verdict: race
// race: write A, read B
// The destructor of a thread-specific value runs in its thread, ordered with nobody.
#include "../two.h"

pthread_key_t key;
int shared;

static void destroy(void *value) {
  *(int *)value = 1; /* A */
  inv_step(0);
}

static void *worker(void *arg) {
  pthread_setspecific(key, &shared);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_key_create(&key, destroy);
  pthread_create(&thread, 0, worker, 0);
  inv_step(1);
  keep(shared); /* B */
  pthread_join(thread, 0);
}
