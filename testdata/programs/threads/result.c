// verdict: none
// A block of memory as the result of a thread.
#include <stdlib.h>

#include "../two.h"

static void *worker(void *arg) {
  int *result = malloc(sizeof *result);
  *result = 7 + (arg != 0);
  return result;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, &result);
  int status = *(int *)result - 7;
  free(result);
  return status;
}
