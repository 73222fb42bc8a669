// verdict: none
// A lock-free stack: nodes are handed over by the head pointer.
#include <atomic>

#include "../two.h"

struct Node {
  int value;
  Node *next;
};

std::atomic<Node *> head;

static void *pusher(void *arg) {
  for (int i = 0; i < 100; i++) {
    Node *node = new Node{i, head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  return arg;
}

static void *popper(void *arg) {
  for (int sum = 0; sum < 4950;) {
    Node *node = head.exchange(nullptr, std::memory_order_acquire);
    while (node) {
      Node *next = node->next;
      sum += node->value;
      delete node;
      node = next;
    }
    inv_yield();
  }
  return arg;
}

int main() {
  run_two(pusher, popper);
  while (Node *node = head) {
    head = node->next;
    delete node;
  }
}
