// verdict: none
// A readers-writer lock of the program's own making.
#include "../two.h"
#include "annotations.h"

int lock;
int shared;

static void *first(void *arg) {
  AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1);
  shared = 1;
  AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
  inv_step(0);
  return arg;
}

static void *second(void *arg) {
  inv_step(1);
  AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 0);
  keep(shared);
  AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 0);
  return arg;
}

int main(void) {
  AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
  run_two(first, second);
}
