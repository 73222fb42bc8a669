// verdict: none
// Two threads read two folders.
#include <dirent.h>

#include "../two.h"

static void *first(void *arg) {
  DIR *folder = opendir(".");
  keep(readdir(folder)->d_name[0]);
  closedir(folder);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  DIR *folder = opendir(".");
  keep(readdir(folder)->d_name[0]);
  closedir(folder);
  return arg;
}

int main(void) { run_two(first, second); }
