// verdict: invalid-mutex
// A mutex is locked after it was destroyed.
#include "../two.h"

pthread_mutex_t mutex;

int main(void) {
  pthread_mutex_init(&mutex, 0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutex_lock(&mutex);
}
