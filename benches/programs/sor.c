/* sor: red-black successive over-relaxation on a square grid. SIZE is its side.
 *
 * Each thread owns a band of rows and waits only for its two neighbours: a progress counter per thread is published with
 * release and read with acquire; who must wait long sleeps on a condition variable. */
#include "common.h"
#include <math.h>
#include <stdatomic.h>

enum { ITERATIONS = 100 };
static const double OMEGA = 1.25;

struct progress {
    _Alignas(64) atomic_long done; /* half-sweeps finished */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

struct work {
    long size;
    double **grid;
    struct progress *progress;
};

static void publish(struct progress *mine, long done) {
    atomic_store_explicit(&mine->done, done, memory_order_release);
    pthread_mutex_lock(&mine->lock);
    pthread_cond_broadcast(&mine->changed);
    pthread_mutex_unlock(&mine->lock);
}

static void await(struct progress *other, long done) {
    if (atomic_load_explicit(&other->done, memory_order_acquire) >= done) return;
    pthread_mutex_lock(&other->lock);
    while (atomic_load_explicit(&other->done, memory_order_acquire) < done)
        pthread_cond_wait(&other->changed, &other->lock);
    pthread_mutex_unlock(&other->lock);
}

/* Relaxes the points of one colour in row i. */
static void relax(double **grid, long i, long size, int colour) {
    double *row = grid[i], *above = grid[i - 1], *below = grid[i + 1];
    for (long j = 1 + (i + colour) % 2; j < size - 1; j += 2)
        row[j] = OMEGA / 4 * (above[j] + below[j] + row[j - 1] + row[j + 1]) + (1 - OMEGA) * row[j];
}

static void *sweep(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    struct range mine = part_of(work->size - 2, me);
    for (long half = 0; half < 2 * ITERATIONS; half++) {
        if (me->id > 0) await(&work->progress[me->id - 1], half);
        if (me->id + 1 < me->threads) await(&work->progress[me->id + 1], half);
        for (long i = mine.from; i < mine.to; i++) relax(work->grid, i + 1, work->size, half % 2);
        publish(&work->progress[me->id], half + 1);
    }
    return NULL;
}

/* How far the grid is from a solution. */
static double residual(double **grid, long size) {
    double sum = 0;
    for (long i = 1; i < size - 1; i++)
        for (long j = 1; j < size - 1; j++)
            sum += fabs(grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1] - 4 * grid[i][j]);
    return sum;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 1500);
    struct work work = {args.size, allocate(args.size, sizeof(double *)), NULL};
    work.progress = aligned_alloc(64, args.threads * sizeof *work.progress);
    if (!work.progress) die("out of memory");
    for (int t = 0; t < args.threads; t++) {
        atomic_init(&work.progress[t].done, 0);
        pthread_mutex_init(&work.progress[t].lock, NULL);
        pthread_cond_init(&work.progress[t].changed, NULL);
    }
    uint64_t random = 23;
    for (long i = 0; i < args.size; i++) {
        work.grid[i] = allocate(args.size, sizeof(double));
        for (long j = 0; j < args.size; j++) work.grid[i][j] = next_uniform(&random);
    }
    double before = residual(work.grid, args.size);
    run_team(args.threads, &work, sweep);
    if (!(residual(work.grid, args.size) < before / 10)) die("the grid did not get smooth");

    uint64_t hash = CHECKSUM_START;
    for (long i = 0; i < args.size; i++) {
        hash = checksum(hash, work.grid[i], args.size * sizeof(double));
        free(work.grid[i]);
    }
    print_checksum("sor", hash);
    free(work.progress), free(work.grid);
    return 0;
}
