// verdict: race
// race: read A, write B
// inet_pton writes the address.
#include <arpa/inet.h>

#include "../two.h"

struct in_addr shared;

static void *first(void *arg) {
  keep(shared.s_addr); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(inet_pton(AF_INET, "127.0.0.1", &shared)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
