// Puts the steps of threads in order without any race detector's knowledge: a counter that only inline assembly touches.
//
// Compilers instrument loads, stores and atomics of the language, not assembly; runtimes intercept functions of libc, not the
// `syscall` instruction. So these functions order threads in time, and nothing happens before anything because of them.
#ifndef INVISIBLE_H
#define INVISIBLE_H

static unsigned inv_counter __attribute__((unused));

#define INV_INLINE static inline __attribute__((always_inline, unused))

/* A function that stays a function, so that its frame and its lines are the same at -O0 and -O2. */
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

/* Where the counter stands. */
INV_INLINE unsigned inv_now(void) {
  unsigned now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(inv_counter) : "memory");
  return now;
}

/* sched_yield, by hand. */
INV_INLINE void inv_yield(void) {
  long number = 24;
  __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
}

/* Waits until the counter has reached `step`. */
INV_INLINE void inv_wait(unsigned step) {
  while (inv_now() < step) inv_yield();
}

/* Moves the counter on by one. */
INV_INLINE void inv_advance(void) {
  __asm__ volatile("lock incl %0" : "+m"(inv_counter) : : "memory", "cc");
}

/* Waits for its turn, then gives the turn to the next step. */
INV_INLINE void inv_step(unsigned step) {
  inv_wait(step);
  inv_advance();
}

/* The value is loaded and counts as used: what computed it cannot be dropped. */
#define keep(value)                            \
  __extension__({                              \
    long keep_value = (long)(value);           \
    __asm__ volatile("" : : "r"(keep_value) : "memory"); \
  })

/* The value, of which the compiler knows nothing. */
#define opaque(value)                                \
  __extension__({                                    \
    __typeof__(value) opaque_value = (value);        \
    __asm__ volatile("" : "+r"(opaque_value)); \
    opaque_value;                                    \
  })

#endif
