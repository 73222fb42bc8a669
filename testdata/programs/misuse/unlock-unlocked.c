// verdict: unlock-unlocked
// A mutex is unlocked that nobody has locked.
#include "../two.h"

pthread_mutex_t mutex;

int main(void) {
  pthread_mutex_init(&mutex, 0);
  pthread_mutex_unlock(&mutex);
}
