// Memory that one thread makes and another gives back.
#include "soak.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace {
// Hands blocks from one thread to the next.
struct Queue {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::vector<std::pair<char *, size_t>> blocks;
  void put(char *block, size_t size) {
    pthread_mutex_lock(&mutex);
    blocks.push_back({block, size});
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
  std::pair<char *, size_t> take() {
    pthread_mutex_lock(&mutex);
    while (blocks.empty())
      pthread_cond_wait(&changed, &mutex);
    auto block = blocks.back();
    blocks.pop_back();
    pthread_mutex_unlock(&mutex);
    return block;
  }
};
} // namespace

static char *allocate(Dice &dice, size_t size) {
  void *block = nullptr;
  switch (dice.roll(4)) {
  case 0:
    block = calloc(1, size);
    break;
  case 1:
    MUST(posix_memalign(&block, 64, size) == 0);
    break;
  case 2:
    block = realloc(malloc(size / 2 + 1), size);
    break;
  default:
    block = malloc(size);
  }
  MUST(block);
  return static_cast<char *>(block);
}

void blocks(Dice &dice) {
  constexpr unsigned COUNT = 100;
  Queue queue;
  auto use = [&queue](char *(*change)(char *, size_t)) {
    return start([&queue, change] {
      for (unsigned i = 0; i < COUNT; i++) {
        auto [block, size] = queue.take();
        MUST(block[0] == 'a' && block[size - 1] == 'z');
        block[0] = 'b';
        free(change(block, size));
      }
    });
  };
  pthread_t threads[] = {
      use([](char *block, size_t) { return block; }),
      use([](char *block, size_t size) { return static_cast<char *>(realloc(block, size * 2)); }),
  };
  for (unsigned i = 0; i < 2 * COUNT; i++) {
    // Mostly small, sometimes a megabyte.
    const size_t size = 2 + dice.roll(i % 50 ? 2000 : 1 << 20);
    char *block = allocate(dice, size);
    block[0] = 'a';
    block[size - 1] = 'z';
    queue.put(block, size);
  }
  for (pthread_t thread : threads)
    join(thread);
  pthread_mutex_destroy(&queue.mutex);
  pthread_cond_destroy(&queue.changed);
}

void mappings(Dice &dice) {
  const size_t page = 4096, size = page * (1 + dice.roll(64));
  auto *first = static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  MUST(first != MAP_FAILED);
  join(start([=] { memset(first, 1, size); }));
  auto *moved = static_cast<char *>(mremap(first, size, size * 2, MREMAP_MAYMOVE));
  MUST(moved != MAP_FAILED && moved[0] == 1 && moved[size - 1] == 1);
  join(start([=] { MUST(madvise(moved, size, MADV_DONTNEED) == 0); }));
  MUST(moved[0] == 0);
  join(start([=] { MUST(munmap(moved, size * 2) == 0); }));
}
