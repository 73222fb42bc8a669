// verdict: race
// race: read A, write B
// getpwuid_r writes the user, and where it is.
#include <pwd.h>
#include <unistd.h>

#include "../two.h"

struct passwd shared;

static void *first(void *arg) {
  keep(shared.pw_uid); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  char room[4096];
  struct passwd *found;
  keep(getpwuid_r(0, &shared, room, sizeof room, &found)); /* B */
  return arg;
}

int main(void) { run_two(first, second); }
