// verdict: race
// race: read A, write B
// pthread_getname_np writes the name.
#define _GNU_SOURCE
#include <pthread.h>

#include "../two.h"

char shared[16];

static void *first(void *arg) {
  keep(shared[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(pthread_getname_np(pthread_self(), shared, sizeof shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
