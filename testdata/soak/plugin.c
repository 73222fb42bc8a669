// The shared object that the soak loads and unloads: with a global, thread-local storage and threads of its own.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;
static __thread unsigned own[100];

static void *add(void *argument) {
  own[99]++;
  pthread_mutex_lock(&mutex);
  total += own[99];
  pthread_mutex_unlock(&mutex);
  return argument;
}

unsigned sum_by_threads(unsigned count) {
  pthread_t threads[16];
  for (unsigned i = 0; i < count; i++)
    pthread_create(&threads[i], 0, add, 0);
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], 0);
  pthread_mutex_lock(&mutex);
  const unsigned result = total;
  pthread_mutex_unlock(&mutex);
  return result;
}
