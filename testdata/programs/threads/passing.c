// verdict: none
// What ended threads have released stays, in whatever it was released to, however many others come and go before somebody takes it.
#include "../passing.h"
#include "../two.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MUTEX, READERS, ATOMIC, FENCE, SEMAPHORE, PIPE, JOINED, LEARNED, KINDS };
int written[KINDS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int flag, relaxed;
static sem_t semaphore;
static int ends[2];

static void *release(void *kind) {
  const long which = (long)kind;
  if (which != READERS) written[which] = 1;
  char byte = 1;
  switch (which) {
  case MUTEX:
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    break;
  case READERS:
    pthread_rwlock_rdlock(&rwlock);
    keep(written[which]);
    pthread_rwlock_unlock(&rwlock);
    break;
  case ATOMIC:
    atomic_store_explicit(&flag, 1, memory_order_release);
    break;
  case FENCE:
    atomic_store_explicit(&relaxed, 1, memory_order_release);
    break;
  case SEMAPHORE:
    sem_post(&semaphore);
    break;
  case PIPE:
    keep(write(ends[1], &byte, 1));
    break;
  }
  return 0;
}

/* Learns from one that ends and is never heard of again, and ends or waits. */
static void *learn(void *kind) {
  pthread_t thread;
  pthread_create(&thread, 0, release, kind);
  pthread_join(thread, 0);
  inv_advance();
  if ((long)kind == LEARNED) {
    inv_wait(3);
    written[LEARNED] = 2;
  }
  return 0;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  keep(pipe(ends));
  const unsigned long others = threads_alive();
  for (long kind = 0; kind < JOINED; kind++) {
    pthread_t thread;
    pthread_create(&thread, 0, release, (void *)kind);
    pthread_detach(thread);
    while (threads_alive() > others) inv_yield();
  }
  pthread_t joined, learned;
  pthread_create(&joined, 0, learn, (void *)JOINED);
  inv_wait(1);
  pthread_create(&learned, 0, learn, (void *)LEARNED);
  inv_wait(2);
  while (threads_alive() > others + 1) inv_yield();
  keep(atomic_load_explicit(&relaxed, memory_order_relaxed));

  let_pass(1000, 0);
  let_pass(1000, &passing_total);

  inv_advance();
  pthread_mutex_lock(&mutex);
  written[MUTEX]++;
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  written[READERS]++;
  pthread_rwlock_unlock(&rwlock);
  keep(atomic_load_explicit(&flag, memory_order_acquire));
  written[ATOMIC]++;
  atomic_thread_fence(memory_order_acquire);
  written[FENCE]++;
  sem_wait(&semaphore);
  written[SEMAPHORE]++;
  char byte;
  keep(read(ends[0], &byte, 1));
  written[PIPE]++;
  pthread_join(joined, 0);
  written[JOINED]++;
  pthread_join(learned, 0);
  written[LEARNED]++;
}
