// verdict: none
// The destructor of a thread-specific value runs before the join returns.
#include "../two.h"

pthread_key_t key;
int shared;

static void destroy(void *value) { *(int *)value = 1; }

static void *worker(void *arg) {
  pthread_setspecific(key, &shared);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_key_create(&key, destroy);
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  pthread_key_delete(key);
  return shared - 1;
}
