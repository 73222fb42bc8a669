// What the themes of the soak share: dice, a check that is always on, and threads that run a lambda.
#pragma once
#include <cerrno>
#include <cstdint>
#include <pthread.h>
#include <utility>

// Ends the soak where something is not as it has to be.
[[noreturn]] void fail(const char *what, const char *file, int line);
#define MUST(condition) ((condition) ? (void)0 : fail(#condition, __FILE__, __LINE__))

// A system call that a signal may interrupt, until it is done.
template <class F> auto again(F call) {
  auto result = call();
  while (result == -1 && errno == EINTR)
    result = call();
  return result;
}

// Numbers that look random and are the same for the same seed.
struct Dice {
  uint64_t state;
  unsigned roll(unsigned sides) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 16) % sides;
  }
};

// Starts a thread that runs `work` and then throws it away.
template <class Work> pthread_t start(Work work, const pthread_attr_t *attributes = nullptr) {
  auto body = [](void *boxed) -> void * {
    struct Box {
      Work *work;
      ~Box() { delete work; }
    } box{static_cast<Work *>(boxed)};
    (*box.work)();
    return nullptr;
  };
  pthread_t thread;
  MUST(pthread_create(&thread, attributes, body, new Work(std::move(work))) == 0);
  return thread;
}

inline void *join(pthread_t thread) {
  void *result;
  MUST(pthread_join(thread, &result) == 0);
  return result;
}

// One round of each theme.
void joined_threads(Dice &dice);
void detached_threads(Dice &dice);
void cancelled_threads(Dice &dice);
void exiting_threads(Dice &dice);
void locks(Dice &dice);
void conditions(Dice &dice);
void barriers(Dice &dice);
void semaphores(Dice &dice);
void atomics(Dice &dice);
void blocks(Dice &dice);
void mappings(Dice &dice);
void children(Dice &dice);
void programs(Dice &dice);
void racy_children(Dice &dice);
void pestered_threads(Dice &dice);
void waited_signals(Dice &dice);
void faults(Dice &dice);
void plugins(Dice &dice);
void jumps(Dice &dice);
void exceptions(Dice &dice);
void streams(Dice &dice);
void sockets(Dice &dice);

// Prepares the signals; how many handlers have run since.
void prepare_signals();
uint64_t handled_signals();
// The path of the shared object that `plugins` loads.
extern const char *plugin_path;
// Held while a plugin goes away, and by who forks a child that will call `exit`: that takes a lock of the C library which `fork` does not look after, and
// which would be locked for ever in the child if a thread was unloading something right then.
extern pthread_mutex_t unloading;
// What a child does that was started as a new program.
int be_a_program(const char *role);
