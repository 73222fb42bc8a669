// verdict: race
// race: write A, write B
// A lock inside a part whose synchronisation is ignored orders nothing.
#include "../two.h"
#include "annotations.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *arg) {
  shared = 1; /* A */
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  shared = 2; /* B */
  return arg;
}

int main(void) { run_two(first, second); }
