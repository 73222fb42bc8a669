// verdict: race
// race: read A, write B
// reports: 1
// tsan: misses; it does not look at what this call touches
// getaddrinfo writes where its answer is.
#include <netdb.h>

#include "../two.h"

struct addrinfo *shared;

static void *first(void *arg) {
  keep(shared); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
  if (getaddrinfo("127.0.0.1", 0, &hints, &shared) == 0) freeaddrinfo(shared); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
