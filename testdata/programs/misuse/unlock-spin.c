// verdict: unlock-unlocked
// A spin lock is unlocked that nobody has locked.
#include "../two.h"

pthread_spinlock_t lock;

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_unlock(&lock);
}
