// verdict: race
// race: read A, write B
// needs: -Wno-deprecated-declarations
// readdir_r writes the entry that the program has room for.
#include <dirent.h>

#include "../two.h"

DIR *folder;
struct dirent shared;

static void *first(void *arg) {
  keep(shared.d_name[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  struct dirent *found;
  keep(readdir_r(folder, &shared, &found)); /* B */
  return arg;
}

int main(void) {
  folder = opendir(".");
  run_two(first, second);
  closedir(folder);
}
