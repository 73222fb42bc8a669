// verdict: none
// Mutexes without init and destroy, and a locked one at the end of the program, are no misuse.
#include "../two.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, zero;

int main(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&zero);
  pthread_mutex_unlock(&zero);
}
