// verdict: destroy-locked
// A mutex is destroyed while it is locked.
#include "../two.h"

pthread_mutex_t mutex;

int main(void) {
  pthread_mutex_init(&mutex, 0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_destroy(&mutex);
}
