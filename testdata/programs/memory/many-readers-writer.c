// verdict: race
// race: read A, write B
// tsan: unsteady; of the eight readers it remembers four, and which ones differs
// Eight threads read; the writer is ordered after all of them but the first.
#include "../two.h"

int shared;

static NOINLINE void lonely(void) {
  keep(shared); /* A */
}

static NOINLINE void ordered(void) { keep(shared); }

static void *lonely_reader(void *arg) {
  lonely();
  inv_step(0);
  return arg;
}

static void *reader(void *arg) {
  ordered();
  return arg;
}

int main(void) {
  pthread_t lonely, threads[7];
  pthread_create(&lonely, 0, lonely_reader, 0);
  inv_wait(1);
  for (int i = 0; i < 7; i++) pthread_create(&threads[i], 0, reader, 0);
  for (int i = 0; i < 7; i++) pthread_join(threads[i], 0);
  shared = 1; /* B */
  pthread_join(lonely, 0);
}
