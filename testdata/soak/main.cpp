// A race-free program that does everything at once, for as long as it is told to: what a runtime has to live through.
//
//   soak PLUGIN seconds|rounds NUMBER [SEED [THEME...]]
//
// Every few seconds it prints `after SECONDS s: ROUNDS rounds, KIB KiB`, and how often each theme came at the end. It plays all
// themes unless some are named: that is how to find out which of them break something.
#include "soak.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <semaphore.h>
#include <unistd.h>
#include <vector>

static const struct {
  const char *name;
  void (*round)(Dice &);
} THEMES[] = {
    {"joined threads", joined_threads},
    {"detached threads", detached_threads},
    {"cancelled threads", cancelled_threads},
    {"exiting threads", exiting_threads},
    {"locks", locks},
    {"conditions", conditions},
    {"barriers", barriers},
    {"semaphores", semaphores},
    {"atomics", atomics},
    {"blocks", blocks},
    {"mappings", mappings},
    {"children", children},
    {"programs", programs},
    {"racy children", racy_children},
    {"pestered threads", pestered_threads},
    {"waited signals", waited_signals},
    {"faults", faults},
    {"plugins", plugins},
    {"jumps", jumps},
    {"exceptions", exceptions},
    {"streams", streams},
    {"sockets", sockets},
};
constexpr unsigned COUNT = sizeof THEMES / sizeof *THEMES;
constexpr unsigned ACTORS = 4;

static std::atomic<uint64_t> rounds, played[COUNT];
// How many rounds are enough; none if time decides.
static uint64_t last_round;
static sem_t enough;
static std::atomic<bool> over;

void fail(const char *what, const char *file, int line) {
  dprintf(2, "%s:%d: not so: %s (errno %d)\n", file, line, what, errno);
  abort();
}

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static long resident_kib() {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  MUST(file && fscanf(file, "%ld %ld", &total, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Every one of these themes once, in an order of its own, again and again.
static void act(uint64_t seed, std::vector<unsigned> order) {
  Dice dice{seed};
  while (!over) {
    for (unsigned i = order.size() - 1; i > 0; i--)
      std::swap(order[i], order[dice.roll(i + 1)]);
    for (unsigned i = 0; i < order.size() && !over; i++) {
      THEMES[order[i]].round(dice);
      played[order[i]]++;
      if (++rounds == last_round)
        sem_post(&enough);
    }
  }
}

// The themes to play: those named, or all.
static std::vector<unsigned> chosen(char **names) {
  std::vector<unsigned> themes;
  for (unsigned i = 0; i < COUNT; i++) {
    bool named = !*names;
    for (char **name = names; *name; name++)
      named |= !strcmp(*name, THEMES[i].name);
    if (named)
      themes.push_back(i);
  }
  MUST(!themes.empty());
  return themes;
}

// The last round was played before so many seconds were over.
static bool enough_within(double seconds) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const long nanoseconds = until.tv_nsec + long(seconds * 1e9);
  until.tv_sec += nanoseconds / 1'000'000'000;
  until.tv_nsec = nanoseconds % 1'000'000'000;
  int ended;
  while ((ended = sem_timedwait(&enough, &until)) != 0 && errno == EINTR) {
  }
  return ended == 0;
}

int main(int argc, char **argv) {
  if (argc == 2)
    return be_a_program(argv[1]);
  if (argc < 4) {
    fprintf(stderr, "usage: soak PLUGIN seconds|rounds NUMBER [SEED [THEME...]]\n");
    return 2;
  }
  plugin_path = argv[1];
  const bool by_time = !strcmp(argv[2], "seconds");
  const uint64_t much = strtoull(argv[3], nullptr, 10);
  const uint64_t seed = argc > 4 ? strtoull(argv[4], nullptr, 10) : 1;
  const std::vector<unsigned> themes = chosen(argv + (argc > 4 ? 5 : 4));
  last_round = by_time ? 0 : much;
  sem_init(&enough, 0, 0);
  prepare_signals();
  pthread_t actors[ACTORS];
  for (unsigned i = 0; i < ACTORS; i++)
    actors[i] = start([=] { act((seed * ACTORS + i + 1) * 0x9e3779b97f4a7c15, themes); });
  const double begun = now();
  const double every = by_time && much > 300 ? 5 : 1;
  double left = by_time ? much : every;
  while (left > 0 && !enough_within(std::min(left, every))) {
    printf("after %.0f s: %lu rounds, %ld KiB\n", now() - begun, rounds.load(), resident_kib());
    fflush(stdout);
    left = by_time ? much - (now() - begun) : every;
  }
  over = true;
  for (pthread_t actor : actors)
    join(actor);
  printf("after %.0f s: %lu rounds, %ld KiB\n", now() - begun, rounds.load(), resident_kib());
  for (unsigned i = 0; i < COUNT; i++)
    printf("%s: %lu\n", THEMES[i].name, played[i].load());
  printf("handlers: %lu\n", handled_signals());
  puts("done");
}
