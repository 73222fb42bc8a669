// Runs a script in which threads take turns, as a file of lines says: thread, operation, address, and two numbers more. Whose turn it is no detector sees. The line under way is in a file that is mapped,
// for who wants to know where a run was halted.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define SEEN __attribute__((noinline))

enum { LINES = 4096, THREADS = 4, BYTES = 4096, LOCKS = 4 };

struct line {
  int thread;
  char operation;
  unsigned long at, length, stride;
};

static struct line lines[LINES];
static int count;
static volatile int *turn;
static _Alignas(1024) char memory[BYTES];
static pthread_mutex_t mutexes[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};

#define ACCESS(n, type)                                                                       \
  typedef type loose##n __attribute__((aligned(1)));                                          \
  SEEN static void read##n(void *p) { (void)*(volatile loose##n *)p; }                        \
  SEEN static void write##n(void *p) { *(volatile loose##n *)p = (type)n; }
ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)

#define BY_SIZE(f, p, size)                                                                   \
  switch (size) {                                                                             \
  case 1: f##1(p); break;                                                                     \
  case 2: f##2(p); break;                                                                     \
  case 4: f##4(p); break;                                                                     \
  case 8: f##8(p); break;                                                                     \
  }

// What compilers call for many bytes at once, and `deadheat cc --elide` for every so many.
void __tsan_read_range(void *, unsigned long);
void __tsan_write_range(void *, unsigned long);
void __deadheat_read_stride(void *, unsigned long, unsigned long, unsigned long);
void __deadheat_write_stride(void *, unsigned long, unsigned long, unsigned long);

UNSEEN static void step(const struct line *line) {
  char *p = memory + line->at;
  switch (line->operation) {
  case 'r': BY_SIZE(read, p, line->length) break;
  case 'w': BY_SIZE(write, p, line->length) break;
  case 'R':
    if (line->stride) __deadheat_read_stride(p, line->length, line->stride, 8);
    else __tsan_read_range(p, line->length);
    break;
  case 'W':
    if (line->stride) __deadheat_write_stride(p, line->length, line->stride, 8);
    else __tsan_write_range(p, line->length);
    break;
  case 'l':
    pthread_mutex_lock(&mutexes[line->at]);
    pthread_mutex_unlock(&mutexes[line->at]);
    break;
  }
}

// The futex of the turn, by hand.
UNSEEN static void futex(int operation, int value) {
  long number = 202;
  register long timeout __asm__("r10") = 0;
  __asm__ volatile("syscall" : "+a"(number) : "D"(turn), "S"(operation), "d"(value), "r"(timeout) : "rcx", "r11", "memory");
}

UNSEEN static void *run(void *argument) {
  enum { WAIT = 0, WAKE = 1 };
  int self = (int)(intptr_t)argument;
  for (int i; (i = *turn) < count;) {
    if (lines[i].thread == self) {
      step(&lines[i]);
      __asm__ volatile("" ::: "memory");
      *turn = i + 1;
      if (i + 1 == count || lines[i + 1].thread != self) futex(WAKE, THREADS);
    } else {
      futex(WAIT, i);
    }
  }
  return 0;
}

UNSEEN int main(int arguments, char **argument) {
  FILE *file = arguments == 3 ? fopen(argument[1], "r") : 0;
  int shown = arguments == 3 ? open(argument[2], O_RDWR) : -1;
  if (!file || shown < 0) return 2;
  turn = mmap(0, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED, shown, 0);
  if (turn == MAP_FAILED) return 2;
  struct line *l = lines;
  while (l < lines + LINES && fscanf(file, "%d %c %lu %lu %lu", &l->thread, &l->operation, &l->at, &l->length, &l->stride) == 5)
    l++;
  count = (int)(l - lines);
  pthread_t threads[THREADS];
  for (long t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], 0, run, (void *)t)) return 2;
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], 0);
  return 0;
}
