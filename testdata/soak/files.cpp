// What threads tell each other through the kernel: pipes, sockets, epoll, events, files.
#include "soak.h"
#include <cstdio>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

constexpr unsigned TIMES = 20;

static void send_all(int file, const void *bytes, size_t size) {
  MUST(again([&] { return write(file, bytes, size); }) == static_cast<ssize_t>(size));
}

static void receive_all(int file, void *bytes, size_t size) {
  for (size_t got = 0; got < size;) {
    const ssize_t n = again([&] { return read(file, static_cast<char *>(bytes) + got, size - got); });
    MUST(n > 0);
    got += n;
  }
}

void streams(Dice &dice) {
  int there[2], back[2];
  MUST(pipe(there) == 0 && pipe(back) == 0);
  unsigned shared = 0;
  char byte = 0;
  const unsigned times = 1 + dice.roll(TIMES);
  pthread_t thread = start([&] {
    char own;
    for (unsigned i = 0; i < times; i++) {
      receive_all(there[0], &own, 1);
      shared++;
      send_all(back[1], &own, 1);
    }
  });
  for (unsigned i = 0; i < times; i++) {
    shared++;
    send_all(there[1], &byte, 1);
    receive_all(back[0], &byte, 1);
  }
  join(thread);
  MUST(shared == 2 * times);
  for (int file : {there[0], there[1], back[0], back[1]})
    close(file);
  FILE *file = tmpfile();
  MUST(file && fprintf(file, "%u %s\n", times, "words") > 0);
  rewind(file);
  unsigned number = 0;
  MUST(fscanf(file, "%u", &number) == 1 && number == times);
  fclose(file);
}

void sockets(Dice &dice) {
  int pair[2];
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const int queue = epoll_create1(0), event = eventfd(0, 0);
  MUST(queue >= 0 && event >= 0);
  for (int file : {pair[0], event}) {
    epoll_event wanted = {};
    wanted.events = EPOLLIN;
    wanted.data.fd = file;
    MUST(epoll_ctl(queue, EPOLL_CTL_ADD, file, &wanted) == 0);
  }
  uint64_t letter[4] = {}, by_event = 0;
  const unsigned times = 1 + dice.roll(TIMES);
  pthread_t thread = start([&] {
    for (unsigned i = 0; i < times; i++) {
      memset(letter, i, sizeof letter);
      MUST(again([&] { return send(pair[1], letter, sizeof letter, 0); }) == sizeof letter);
    }
    by_event = times;
    const uint64_t one = 1;
    send_all(event, &one, sizeof one);
  });
  bool all = false;
  for (unsigned got = 0; !all || got < times;) {
    epoll_event events[2];
    const int n = again([&] { return epoll_wait(queue, events, 2, -1); });
    MUST(n > 0);
    for (int i = 0; i < n; i++) {
      uint64_t read[4];
      if (events[i].data.fd == event) {
        receive_all(event, read, sizeof *read);
        MUST(by_event == times);
        all = true;
      } else {
        receive_all(pair[0], read, sizeof read);
        got++;
      }
    }
  }
  join(thread);
  for (int file : {pair[0], pair[1], queue, event})
    close(file);
}
