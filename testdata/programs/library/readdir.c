// verdict: race
// race: read A, write B
// The next entry may lie where the last one was.
#include <dirent.h>

#include "../two.h"

DIR *folder;
struct dirent *entry;

static void *first(void *arg) {
  keep(entry->d_name[0]); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  rewinddir(folder);
  keep(readdir(folder)); /* B */
  return arg;
}

int main(void) {
  folder = opendir(".");
  entry = readdir(folder);
  run_two(first, second);
  closedir(folder);
}
