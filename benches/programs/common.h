/* What every port shares: arguments, a team of threads, a random number generator and a checksum. */
#ifndef DEADHEAT_BENCH_COMMON_H
#define DEADHEAT_BENCH_COMMON_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each port is called as `port THREADS SIZE`; what the size means is said in the port. */
struct args {
    int threads;
    long size;
};

static inline void die(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

static inline struct args parse_args(int argc, char **argv, long default_size) {
    struct args args = {4, default_size};
    if (argc > 1) args.threads = atoi(argv[1]);
    if (argc > 2) args.size = atol(argv[2]);
    if (args.threads < 1 || args.threads > 256 || args.size < 1) die("usage: PROGRAM [THREADS [SIZE]]");
    return args;
}

static inline void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) die("out of memory");
    return memory;
}

/* A member of a team: which one it is, of how many, and what the team works on. */
struct member {
    int id, threads;
    void *work;
};

/* Runs `body` in `threads` new threads and joins them all. */
static inline void run_team(int threads, void *work, void *(*body)(void *)) {
    pthread_t *ids = (pthread_t *)allocate(threads, sizeof *ids);
    struct member *members = (struct member *)allocate(threads, sizeof *members);
    for (int i = 0; i < threads; i++) {
        members[i].id = i;
        members[i].threads = threads;
        members[i].work = work;
        if (pthread_create(&ids[i], NULL, body, &members[i])) die("cannot create a thread");
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    free(members);
    free(ids);
}

/* The part of 0..n that belongs to a member: [from, to). */
struct range {
    long from, to;
};

static inline struct range part_of(long n, const struct member *me) {
    struct range mine = {n * me->id / me->threads, n * (me->id + 1) / me->threads};
    return mine;
}

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere from the same seed. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double next_uniform(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

/* FNV-1a over words of eight bytes (the last one filled up with zeros), continued from `hash`.
 * It is not part of what is measured: tools that instrument leave it alone. */
__attribute__((no_sanitize_thread, noinline, unused))
static uint64_t checksum(uint64_t hash, const void *data, size_t length) {
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        for (size_t k = i; k < length && k < i + 8; k++) word |= (uint64_t)bytes[k] << 8 * (k - i);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

#define CHECKSUM_START 0xcbf29ce484222325u

/* The only output of a port; the benchmark compares it with that of the native run. */
static inline void print_checksum(const char *program, uint64_t hash) {
    printf("%s %016llx\n", program, (unsigned long long)hash);
}

#endif
