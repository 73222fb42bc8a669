// Runs random scripts: each operation of a script is a real access, lock, fork, ... of an instrumented function of its own. What the
// interpreter does for itself is not instrumented, so that the record holds the scripts' operations and little else.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define SEEN __attribute__((noinline))

enum { SCRIPTS = 64, THREADS = 6, OPS = 96, BYTES = 64, LOCKS = 3, BLOCKS = 2 };

struct op {
  unsigned char code, size, order;
  unsigned short at;
};

struct script {
  int threads, workers;
  int length[THREADS];
  struct op ops[THREADS][OPS];
};

static struct script scripts[SCRIPTS];
static _Alignas(16) char memory[SCRIPTS][BYTES];
static pthread_mutex_t mutexes[SCRIPTS][LOCKS];
static pthread_rwlock_t rwlocks[SCRIPTS][LOCKS];
static pthread_barrier_t barriers[SCRIPTS];
static sem_t semaphores[SCRIPTS];
static char *volatile blocks[SCRIPTS][BLOCKS];
static pthread_t handles[SCRIPTS][THREADS];
static volatile int ready[SCRIPTS];

// Plain accesses, aligned and not.
#define ACCESS(n, type)                                                                       \
  typedef type loose##n __attribute__((aligned(1)));                                          \
  SEEN static void read##n(void *p) { (void)*(volatile type *)p; }                            \
  SEEN static void write##n(void *p) { *(volatile type *)p = (type)n; }                       \
  SEEN static void loose_read##n(void *p) { (void)*(volatile loose##n *)p; }                  \
  SEEN static void loose_write##n(void *p) { *(volatile loose##n *)p = (type)n; }
ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)

struct pair {
  uint64_t low, high;
};
SEEN static void read16(void *p) {
  volatile struct pair copy = *(struct pair *)p;
  (void)copy;
}
SEEN static void write16(void *p) { *(struct pair *)p = (struct pair){1, 2}; }
SEEN static void copy(void *to, const void *from, size_t n) { memmove(to, from, n); }
SEEN static void fill(void *to, size_t n) { memset(to, 7, n); }

#define BY_SIZE(f, p, size)                                                                   \
  switch (size) {                                                                             \
  case 1: f##1(p); break;                                                                     \
  case 2: f##2(p); break;                                                                     \
  case 4: f##4(p); break;                                                                     \
  case 8: f##8(p); break;                                                                     \
  }

// Atomics: the order has to be a constant in the program.
#define ATOMIC(n, type)                                                                       \
  SEEN static void load##n(type *p, int order) {                                              \
    switch (order) {                                                                          \
    case 0: __atomic_load_n(p, __ATOMIC_RELAXED); break;                                      \
    case 1: __atomic_load_n(p, __ATOMIC_ACQUIRE); break;                                      \
    default: __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
    }                                                                                         \
  }                                                                                           \
  SEEN static void store##n(type *p, int order) {                                             \
    switch (order) {                                                                          \
    case 0: __atomic_store_n(p, (type)3, __ATOMIC_RELAXED); break;                            \
    case 1: __atomic_store_n(p, (type)4, __ATOMIC_RELEASE); break;                            \
    default: __atomic_store_n(p, (type)5, __ATOMIC_SEQ_CST);                                  \
    }                                                                                         \
  }                                                                                           \
  SEEN static void update##n(type *p, int order) {                                            \
    switch (order) {                                                                          \
    case 0: __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); break;                                \
    case 1: __atomic_exchange_n(p, 1, __ATOMIC_ACQUIRE); break;                               \
    case 2: __atomic_fetch_or(p, 1, __ATOMIC_RELEASE); break;                                 \
    case 3: __atomic_fetch_sub(p, 1, __ATOMIC_ACQ_REL); break;                                \
    default: __atomic_fetch_xor(p, 1, __ATOMIC_SEQ_CST);                                      \
    }                                                                                         \
  }                                                                                           \
  SEEN static void swap##n(type *p, int order) {                                              \
    type old = 0;                                                                             \
    switch (order) {                                                                          \
    case 0:                                                                                   \
      __atomic_compare_exchange_n(p, &old, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);         \
      break;                                                                                  \
    case 1:                                                                                   \
      __atomic_compare_exchange_n(p, &old, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);         \
      break;                                                                                  \
    case 2:                                                                                   \
      __atomic_compare_exchange_n(p, &old, 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);         \
      break;                                                                                  \
    default:                                                                                  \
      __atomic_compare_exchange_n(p, &old, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);         \
    }                                                                                         \
  }
ATOMIC(1, uint8_t)
ATOMIC(2, uint16_t)
ATOMIC(4, uint32_t)
ATOMIC(8, uint64_t)

#define ATOMIC_BY_SIZE(f, p, op)                                                              \
  switch (op->size) {                                                                         \
  case 1: f##1((uint8_t *)p, op->order); break;                                               \
  case 2: f##2((uint16_t *)p, op->order); break;                                              \
  case 4: f##4((uint32_t *)p, op->order); break;                                              \
  case 8: f##8((uint64_t *)p, op->order); break;                                              \
  }

SEEN static void fence(int order) {
  switch (order) {
  case 0: __atomic_thread_fence(__ATOMIC_ACQUIRE); break;
  case 1: __atomic_thread_fence(__ATOMIC_RELEASE); break;
  case 2: __atomic_thread_fence(__ATOMIC_ACQ_REL); break;
  default: __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

// An exchange and a count that no detector sees.
UNSEEN static char *take(char *volatile *from, char *instead) {
  __asm__ volatile("xchg %0, %1" : "+r"(instead), "+m"(*from) : : "memory");
  return instead;
}
UNSEEN static void count(volatile int *n) { __asm__ volatile("lock incl %0" : "+m"(*n) : : "memory"); }

UNSEEN static void nothing(int n) {
  for (volatile int i = 0; i < n * 20; i++)
    ;
  if (n % 3 == 0)
    sched_yield();
}

struct self {
  int script, thread;
};
static struct self selves[SCRIPTS][THREADS];
static void *run(void *argument);

UNSEEN static void start(int script, int thread) {
  struct self *self = &selves[script][thread];
  self->script = script;
  self->thread = thread;
  if (pthread_create(&handles[script][thread], 0, run, self))
    abort();
}

UNSEEN static void heap(int script, const struct op *op) {
  char *volatile *place = &blocks[script][op->order];
  switch (op->code) {
  case 'm': {
    char *block = malloc(32);
    write8(block);
    char *old = take(place, block);
    // What was there before is lost, not freed: others may be using it.
    (void)old;
    break;
  }
  case 'x': free(take(place, 0)); break;
  case 'h':
    if (*place)
      BY_SIZE(read, *place + op->at % (33 - op->size), op->size);
    break;
  case 'H':
    if (*place)
      BY_SIZE(write, *place + op->at % (33 - op->size), op->size);
    break;
  }
}

UNSEEN static void step(int script, const struct op *op, char *held) {
  char *p = memory[script] + op->at;
  int aligned = op->at % op->size == 0;
  switch (op->code) {
  case 'r':
    if (aligned) BY_SIZE(read, p, op->size) else BY_SIZE(loose_read, p, op->size)
    break;
  case 'w':
    if (aligned) BY_SIZE(write, p, op->size) else BY_SIZE(loose_write, p, op->size)
    break;
  case 'R': read16(p); break;
  case 'W': write16(p); break;
  case 'c': copy(p, memory[script] + op->order, op->size); break;
  case 's': fill(p, op->size); break;
  case 'a': ATOMIC_BY_SIZE(load, p, op) break;
  case 'b': ATOMIC_BY_SIZE(store, p, op) break;
  case 'd': ATOMIC_BY_SIZE(update, p, op) break;
  case 'e': ATOMIC_BY_SIZE(swap, p, op) break;
  case 'f': fence(op->order); break;
  case 'l': pthread_mutex_lock(&mutexes[script][op->order]); break;
  case 'u': pthread_mutex_unlock(&mutexes[script][op->order]); break;
  case 't': held[op->order] = pthread_mutex_trylock(&mutexes[script][op->order]) == 0; break;
  case 'T':
    if (held[op->order])
      pthread_mutex_unlock(&mutexes[script][op->order]);
    held[op->order] = 0;
    break;
  case 'i': pthread_rwlock_rdlock(&rwlocks[script][op->order]); break;
  case 'j': pthread_rwlock_wrlock(&rwlocks[script][op->order]); break;
  case 'k': pthread_rwlock_unlock(&rwlocks[script][op->order]); break;
  case 'B': pthread_barrier_wait(&barriers[script]); break;
  case 'p': sem_post(&semaphores[script]); break;
  case 'q': sem_trywait(&semaphores[script]); break;
  case 'F': start(script, op->order); break;
  case 'J': pthread_join(handles[script][op->order], 0); break;
  case 'y': nothing(op->order); break;
  default: heap(script, op);
  }
}

UNSEEN static void *run(void *argument) {
  struct self self = *(struct self *)argument;
  struct script *script = &scripts[self.script];
  char held[LOCKS] = {0};
  if (self.thread < script->workers) {
    count(&ready[self.script]);
    while (ready[self.script] < script->workers)
      sched_yield();
  }
  for (int i = 0; i < script->length[self.thread]; i++)
    step(self.script, &script->ops[self.thread][i], held);
  return 0;
}

UNSEEN static int number(char **text) {
  while (**text == ' ' || **text == '\n')
    ++*text;
  int n = 0;
  for (; **text >= '0' && **text <= '9'; ++*text)
    n = n * 10 + (**text - '0');
  return n;
}

UNSEEN static void parse(struct script *script, char **text) {
  script->threads = number(text);
  script->workers = number(text);
  for (int t = 0; t < script->threads; t++) {
    script->length[t] = number(text);
    for (int i = 0; i < script->length[t]; i++) {
      struct op *op = &script->ops[t][i];
      op->code = number(text);
      op->size = number(text);
      op->at = number(text);
      op->order = number(text);
    }
  }
}

UNSEEN static void perform(int s) {
  struct script *script = &scripts[s];
  for (int i = 0; i < LOCKS; i++) {
    pthread_mutex_init(&mutexes[s][i], 0);
    pthread_rwlock_init(&rwlocks[s][i], 0);
  }
  pthread_barrier_init(&barriers[s], 0, script->workers);
  sem_init(&semaphores[s], 0, 0);
  for (int t = 0; t < script->workers; t++)
    start(s, t);
  for (int t = 0; t < script->workers; t++)
    pthread_join(handles[s][t], 0);
}

static char text[1 << 20];

UNSEEN int main(int count, char **arguments) {
  int file = open(count > 1 ? arguments[1] : "/dev/null", O_RDONLY);
  if (file < 0 || read(file, text, sizeof text - 1) < 0)
    return 2;
  char *at = text;
  int n = number(&at);
  for (int s = 0; s < n && s < SCRIPTS; s++)
    parse(&scripts[s], &at);
  for (int s = 0; s < n && s < SCRIPTS; s++)
    perform(s);
  return 0;
}
