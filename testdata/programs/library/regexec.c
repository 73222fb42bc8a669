// verdict: race
// race: read A, write B
// regexec writes what it found; the pattern may be used by many.
#include <regex.h>

#include "../two.h"

regex_t pattern;
regmatch_t shared[2];

static void *first(void *arg) {
  regmatch_t mine[2];
  keep(regexec(&pattern, "abc", 2, mine, 0));
  keep(shared[0].rm_so); /* A */
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  keep(regexec(&pattern, "abc", 2, shared, 0)); /* B */
  return arg;
}

int main(void) {
  if (regcomp(&pattern, "b(.)", REG_EXTENDED) != 0) return 1;
  run_two(first, second);
  regfree(&pattern);
}
