// Threads that come and go: joined, detached, cancelled, leaving early, with things of their own to clean up.
#include "soak.h"
#include <climits>
#include <cstdlib>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>
#include <vector>

void joined_threads(Dice &dice) {
  const unsigned count = 2 + dice.roll(7);
  std::vector<unsigned> results(count);
  std::vector<pthread_t> threads;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + (48 << 10));
  for (unsigned i = 0; i < count; i++)
    threads.push_back(start([&results, i] { results[i] = i + 1; }, i % 2 ? &small : nullptr));
  unsigned sum = 0;
  for (pthread_t thread : threads)
    join(thread);
  for (unsigned result : results)
    sum += result;
  MUST(sum == count * (count + 1) / 2);
  pthread_attr_destroy(&small);
}

void detached_threads(Dice &dice) {
  struct Shared {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    unsigned left;
    unsigned users;
    unsigned sum = 0;
    // The last one out frees it.
    static void leave(Shared *shared) {
      pthread_mutex_lock(&shared->mutex);
      const bool last = --shared->users == 0;
      pthread_mutex_unlock(&shared->mutex);
      if (last) {
        pthread_cond_destroy(&shared->changed);
        pthread_mutex_destroy(&shared->mutex);
        delete shared;
      }
    }
  };
  const unsigned count = 1 + dice.roll(4);
  auto *shared = new Shared;
  shared->left = count;
  shared->users = count + 1;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (unsigned i = 0; i < count; i++) {
    const bool born_so = dice.roll(2);
    auto work = [shared, i] {
      pthread_mutex_lock(&shared->mutex);
      shared->sum += i;
      shared->left--;
      pthread_cond_signal(&shared->changed);
      pthread_mutex_unlock(&shared->mutex);
      Shared::leave(shared);
    };
    pthread_t thread = start(work, born_so ? &detached : nullptr);
    if (!born_so)
      MUST(pthread_detach(thread) == 0);
  }
  pthread_attr_destroy(&detached);
  pthread_mutex_lock(&shared->mutex);
  while (shared->left)
    pthread_cond_wait(&shared->changed, &shared->mutex);
  MUST(shared->sum == count * (count - 1) / 2);
  pthread_mutex_unlock(&shared->mutex);
  Shared::leave(shared);
}

namespace {
struct Waiter {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  sem_t semaphore;
  int pipe[2];
  unsigned where;
  bool cleaned = false;
};
} // namespace

// Waits for what never comes.
static void *wait_forever(void *argument) {
  auto *waiter = static_cast<Waiter *>(argument);
  pthread_cleanup_push([](void *w) { static_cast<Waiter *>(w)->cleaned = true; }, waiter);
  char byte;
  switch (waiter->where) {
  case 0:
    pthread_mutex_lock(&waiter->mutex);
    pthread_cleanup_push([](void *m) { pthread_mutex_unlock(static_cast<pthread_mutex_t *>(m)); }, &waiter->mutex);
    for (;;)
      pthread_cond_wait(&waiter->never, &waiter->mutex);
    pthread_cleanup_pop(0);
    break;
  case 1:
    for (;;)
      sem_wait(&waiter->semaphore);
  case 2:
    for (;;)
      (void)!read(waiter->pipe[0], &byte, 1);
  case 3:
    for (;;)
      pause();
  default:
    for (;;) {
      free(malloc(100));
      pthread_testcancel();
    }
  }
  pthread_cleanup_pop(0);
  return nullptr;
}

void cancelled_threads(Dice &dice) {
  Waiter waiter;
  waiter.where = dice.roll(5);
  MUST(sem_init(&waiter.semaphore, 0, 0) == 0 && pipe(waiter.pipe) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, nullptr, wait_forever, &waiter) == 0);
  for (unsigned turns = dice.roll(50); turns > 0; turns--)
    sched_yield();
  MUST(pthread_cancel(thread) == 0);
  MUST(join(thread) == PTHREAD_CANCELED);
  pthread_mutex_lock(&waiter.mutex);
  pthread_mutex_unlock(&waiter.mutex);
  pthread_mutex_destroy(&waiter.mutex);
  pthread_cond_destroy(&waiter.never);
  sem_destroy(&waiter.semaphore);
  close(waiter.pipe[0]);
  close(waiter.pipe[1]);
}

namespace {
// Counts the lives that thread-local storage begins and ends, in the thread that it belongs to.
struct Life {
  std::vector<int> filled = std::vector<int>(100, 7);
  int *ended = nullptr;
  ~Life() {
    if (ended)
      *ended += filled.at(99);
  }
};
thread_local Life life;
} // namespace

static void leave_early(unsigned depth) {
  if (depth == 0)
    pthread_exit(reinterpret_cast<void *>(5));
  volatile char frame[64] = {};
  leave_early(depth - 1);
  frame[0] = 1;
}

void exiting_threads(Dice &dice) {
  pthread_key_t key;
  MUST(pthread_key_create(&key, [](void *block) { free(block); }) == 0);
  int ended = 0;
  const unsigned depth = dice.roll(30);
  pthread_t thread = start([&ended, key, depth] {
    life.ended = &ended;
    MUST(pthread_setspecific(key, malloc(1000)) == 0);
    leave_early(depth);
  });
  MUST(join(thread) == reinterpret_cast<void *>(5));
  MUST(ended == 7);
  pthread_key_delete(key);
}
