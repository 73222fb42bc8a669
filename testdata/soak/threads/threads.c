// Very many threads.
//
//   threads alive COUNT    so many at once; the first and the last race
//   threads churn COUNT    so many one after the other, the first detached; the first and the last race
//   threads cost COUNT     so many at once take turns with locks, atomics and memory; prints the processor time of an operation
//
// The threads of a race are ordered by what no detector sees, so that there is one race in every run, and no other.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../programs/invisible.h"

int racy;
static unsigned last;
static pthread_attr_t small;

/* 1 when all that wait may go on; they sleep in the kernel, where thousands of them disturb nobody, and no detector sees it. */
static unsigned inv_gate;

INV_INLINE long inv_futex(int what, unsigned value) {
  long number = 202;
  register long none __asm__("r10") = 0;
  __asm__ volatile("syscall" : "+a"(number) : "D"(&inv_gate), "S"((long)what), "d"((long)value), "r"(none) : "rcx", "r11", "memory");
  return number;
}

INV_INLINE void inv_sleep(void) {
  unsigned now;
  for (;;) {
    __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(inv_gate) : "memory");
    if (now) return;
    inv_futex(0, 0);
  }
}

INV_INLINE void inv_open(void) {
  __asm__ volatile("movl $1, %0" : "+m"(inv_gate) : : "memory");
  inv_futex(1, 0x7fffffff);
}

static long resident_kib(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2) exit(3);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static pthread_t start(void *(*run)(void *), unsigned who, const pthread_attr_t *attributes) {
  pthread_t thread;
  if (pthread_create(&thread, attributes, run, (void *)(long)who) != 0) {
    perror("pthread_create");
    exit(3);
  }
  return thread;
}

static NOINLINE void write_first(void) { racy = 1; }
static NOINLINE void write_last(void) { racy = 2; }

static void *live(void *who) {
  const unsigned number = (unsigned)(long)who;
  if (number == 0) write_first();
  inv_advance();
  inv_sleep();
  if (number == last) write_last();
  return 0;
}

static void alive(unsigned count) {
  pthread_t *threads = calloc(count, sizeof *threads);
  last = count - 1;
  for (unsigned i = 0; i < count; i++) threads[i] = start(live, i, &small);
  printf("%u alive, %ld KiB\n", count, resident_kib());
  inv_wait(count);
  inv_open();
  for (unsigned i = 0; i < count; i++) pthread_join(threads[i], 0);
  free(threads);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *pass(void *who) {
  const unsigned number = (unsigned)(long)who;
  if (number == 0) {
    write_first();
    inv_advance();
    return 0;
  }
  // Nothing may come from the first to the last: the mutex is that of all between.
  if (number == last) {
    write_last();
    return 0;
  }
  pthread_mutex_lock(&mutex);
  total += number;
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void churn(unsigned count) {
  enum { AT_ONCE = 8 };
  last = count - 1;
  pthread_detach(start(pass, 0, &small));
  inv_wait(1);
  for (unsigned i = 1; i <= last;) {
    pthread_t threads[AT_ONCE];
    unsigned made = 0;
    for (; made < AT_ONCE && i <= last; i++) threads[made++] = start(pass, i, &small);
    while (made > 0) pthread_join(threads[--made], 0);
    if (i % (count / 20) < AT_ONCE) {
      printf("%u done, %ld KiB\n", i, resident_kib());
      fflush(stdout);
    }
  }
}

enum { OPERATIONS = 2000 };
static pthread_mutex_t mutexes[8];
static long shared[8];
static atomic_long counter;

static void *work(void *who) {
  const unsigned number = (unsigned)(long)who;
  long *own = calloc(64, sizeof *own);
  inv_advance();
  inv_sleep();
  for (unsigned i = 0; i < OPERATIONS; i++) {
    const unsigned which = (number + i) % 8;
    pthread_mutex_lock(&mutexes[which]);
    shared[which]++;
    pthread_mutex_unlock(&mutexes[which]);
    atomic_fetch_add(&counter, 1);
    own[i % 64]++;
  }
  free(own);
  return 0;
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

// The waiting is left out: it is over when all threads have begun.
static void cost(unsigned count) {
  pthread_t *threads = calloc(count, sizeof *threads);
  for (int i = 0; i < 8; i++) pthread_mutex_init(&mutexes[i], 0);
  last = count - 1;
  for (unsigned i = 0; i < count; i++) threads[i] = start(work, i, &small);
  inv_wait(count);
  const double begun = processor_time();
  inv_open();
  for (unsigned i = 0; i < count; i++) pthread_join(threads[i], 0);
  printf("%.1f ns an operation\n", (processor_time() - begun) * 1e9 / count / OPERATIONS);
  free(threads);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const unsigned count = (unsigned)atoi(argv[2]);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  if (!strcmp(argv[1], "alive")) alive(count);
  if (!strcmp(argv[1], "churn")) churn(count);
  if (!strcmp(argv[1], "cost")) cost(count);
  return 0;
}
