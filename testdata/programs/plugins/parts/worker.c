// A plugin that lets threads count, each in a variable of its own.
#include <pthread.h>

static __thread int local;
static int shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
  for (int i = 0; i < 5; i++) local += 1;
  pthread_mutex_lock(&mutex);
  shared += local;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int plugin_work(void) {
  pthread_t one, two;
  pthread_create(&one, 0, worker, 0);
  pthread_create(&two, 0, worker, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return shared;
}
