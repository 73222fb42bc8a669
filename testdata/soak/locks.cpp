// Synchronisation of every kind: what it protects is not atomic, so a missing edge is a false report.
#include "soak.h"
#include <atomic>
#include <ctime>
#include <mutex>
#include <semaphore.h>
#include <vector>

constexpr unsigned TIMES = 40;

template <class Work> static void by_several(unsigned count, Work work) {
  std::vector<pthread_t> threads;
  for (unsigned i = 0; i < count; i++)
    threads.push_back(start([&work, i] { work(i); }));
  for (pthread_t thread : threads)
    join(thread);
}

// Locks that live as long as the program, and that all actors share.
static pthread_mutex_t old_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t old_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t under_mutex, under_rwlock;

static pthread_mutex_t mutex_of_kind(int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutex_t mutex;
  MUST(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
  return mutex;
}

static bool timed_lock(pthread_mutex_t *mutex) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  return pthread_mutex_timedlock(mutex, &until) == 0;
}

void locks(Dice &dice) {
  static const int KINDS[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  const int kind = KINDS[dice.roll(3)];
  pthread_mutex_t mutex = mutex_of_kind(kind);
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  MUST(pthread_rwlock_init(&rwlock, nullptr) == 0 && pthread_spin_init(&spin, 0) == 0);
  unsigned a = 0, b = 0, c = 0;
  const unsigned count = 2 + dice.roll(3);
  by_several(count, [&](unsigned who) {
    for (unsigned i = 0; i < TIMES; i++) {
      if (i % 3 ? timed_lock(&mutex) : pthread_mutex_lock(&mutex) == 0) {
        if (kind == PTHREAD_MUTEX_RECURSIVE)
          MUST(pthread_mutex_trylock(&mutex) == 0);
        a++;
        if (kind == PTHREAD_MUTEX_RECURSIVE)
          pthread_mutex_unlock(&mutex);
        pthread_mutex_unlock(&mutex);
      }
      if (i % 4 == who % 4) {
        pthread_rwlock_wrlock(&rwlock);
        b++;
      } else {
        pthread_rwlock_rdlock(&rwlock);
        MUST(b <= count * TIMES);
      }
      pthread_rwlock_unlock(&rwlock);
      if (i % 8 == 0) {
        pthread_spin_lock(&spin);
        c++;
        pthread_spin_unlock(&spin);
      }
    }
    pthread_mutex_lock(&old_mutex);
    under_mutex++;
    pthread_mutex_unlock(&old_mutex);
    pthread_rwlock_wrlock(&old_rwlock);
    under_rwlock++;
    pthread_rwlock_unlock(&old_rwlock);
  });
  MUST(a == count * TIMES && b == count * TIMES / 4 && c == count * TIMES / 8);
  pthread_mutex_destroy(&mutex);
  pthread_rwlock_destroy(&rwlock);
  pthread_spin_destroy(&spin);
}

void conditions(Dice &dice) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  const unsigned count = 2 + dice.roll(3);
  unsigned turn = 0;
  by_several(count, [&](unsigned who) {
    for (unsigned i = 0; i < TIMES; i++) {
      pthread_mutex_lock(&mutex);
      while (turn % count != who)
        pthread_cond_wait(&changed, &mutex);
      turn++;
      pthread_cond_broadcast(&changed);
      pthread_mutex_unlock(&mutex);
    }
  });
  MUST(turn == count * TIMES);
  pthread_cond_destroy(&changed);
  pthread_mutex_destroy(&mutex);
}

void barriers(Dice &dice) {
  const unsigned count = 2 + dice.roll(4);
  pthread_barrier_t barrier;
  MUST(pthread_barrier_init(&barrier, nullptr, count) == 0);
  std::vector<unsigned> line(count);
  by_several(count, [&](unsigned who) {
    for (unsigned i = 0; i < TIMES / 4; i++) {
      line[who] = i;
      pthread_barrier_wait(&barrier);
      for (unsigned other : line)
        MUST(other == i);
      pthread_barrier_wait(&barrier);
    }
  });
  pthread_barrier_destroy(&barrier);
}

void semaphores(Dice &dice) {
  const unsigned count = 2 + dice.roll(3);
  std::vector<sem_t> ring(count);
  for (unsigned i = 0; i < count; i++)
    MUST(sem_init(&ring[i], 0, i == 0) == 0);
  unsigned passed = 0;
  by_several(count, [&](unsigned who) {
    for (unsigned i = 0; i < TIMES; i++) {
      MUST(again([&] { return sem_wait(&ring[who]); }) == 0);
      passed++;
      sem_post(&ring[(who + 1) % count]);
    }
  });
  MUST(passed == count * TIMES);
  for (sem_t &semaphore : ring)
    sem_destroy(&semaphore);
}

void atomics(Dice &dice) {
  struct Node {
    unsigned value;
    Node *next;
  };
  std::atomic<Node *> head{nullptr};
  std::atomic<unsigned> flag{0}, arrived{0};
  std::once_flag once;
  unsigned made_once = 0, message = 0;
  const unsigned count = 2 + dice.roll(3);
  by_several(count, [&](unsigned who) {
    std::call_once(once, [&] { made_once++; });
    MUST(made_once == 1);
    for (unsigned i = 0; i < TIMES; i++) {
      Node *node = new Node{i, head.load(std::memory_order_relaxed)};
      while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
      }
    }
    if (who == 0) {
      message = 42;
      std::atomic_thread_fence(std::memory_order_release);
      flag.store(1, std::memory_order_relaxed);
    } else {
      while (!flag.load(std::memory_order_relaxed))
        sched_yield();
      std::atomic_thread_fence(std::memory_order_acquire);
      MUST(message == 42);
    }
    arrived.fetch_add(1, std::memory_order_acq_rel);
    unsigned taken = 0;
    for (Node *node = head.exchange(nullptr, std::memory_order_acquire); node; taken++) {
      Node *next = node->next;
      MUST(node->value < TIMES);
      delete node;
      node = next;
    }
    MUST(taken <= count * TIMES);
  });
  MUST(arrived == count && !head);
}
