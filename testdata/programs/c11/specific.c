// verdict: none
// tsan: unsteady; it does not know the threads of C11
// The destructor of a tss_t runs before the join returns.
#include <threads.h>

#include "../invisible.h"

tss_t key;
static void destroy(void *value) { *(int *)value += 1; }
int shared;

static int first(void *arg) {
  tss_set(key, &shared);
  inv_step(0);
  return arg != 0;
}

static int second(void *arg) {
  inv_step(1);
  keep(tss_get(key));
  return arg != 0;
}

int main(void) {
  thrd_t one, two;
  tss_create(&key, destroy);
  thrd_create(&one, first, 0);
  thrd_create(&two, second, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
  tss_delete(key);
  return shared - 1;
}
