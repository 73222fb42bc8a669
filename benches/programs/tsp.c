/* tsp: the travelling salesman's shortest tour by branch and bound. SIZE is the number of cities.
 *
 * Threads take beginnings of tours from a queue under a lock and search each to its end. The best length so far is read
 * as a relaxed atomic to prune, and changed together with its tour under a second lock. */
#include "common.h"
#include <math.h>
#include <stdatomic.h>

enum { MOST = 32, PREFIX = 4 };

struct tour {
    int length, visited;
    int cities[MOST];
};

struct work {
    int cities;
    int distance[MOST][MOST], cheapest[MOST]; /* cheapest: the shortest way out of a city */
    pthread_mutex_t queue_lock, best_lock;
    struct tour *queue;
    long queued, taken;
    atomic_int best;
    int best_cities[MOST];
};

static int length_of(const struct work *work, const int *cities) {
    int sum = 0;
    for (int i = 0; i < work->cities; i++) sum += work->distance[cities[i]][cities[(i + 1) % work->cities]];
    return sum;
}

static void offer(struct work *work, const int *cities, int length) {
    pthread_mutex_lock(&work->best_lock);
    if (length < atomic_load_explicit(&work->best, memory_order_relaxed)) {
        atomic_store_explicit(&work->best, length, memory_order_relaxed);
        memcpy(work->best_cities, cities, sizeof work->best_cities);
    }
    pthread_mutex_unlock(&work->best_lock);
}

static int is_in(const struct tour *tour, int city) {
    for (int i = 0; i < tour->visited; i++)
        if (tour->cities[i] == city) return 1;
    return 0;
}

static void search(struct work *work, struct tour *tour) {
    int last = tour->cities[tour->visited - 1];
    if (tour->visited == work->cities) {
        int length = tour->length + work->distance[last][0];
        if (length < atomic_load_explicit(&work->best, memory_order_relaxed)) offer(work, tour->cities, length);
        return;
    }
    int rest = work->cheapest[last];
    for (int city = 1; city < work->cities; city++)
        if (!is_in(tour, city)) rest += work->cheapest[city];
    if (tour->length + rest >= atomic_load_explicit(&work->best, memory_order_relaxed)) return;
    for (int city = 1; city < work->cities; city++) {
        if (is_in(tour, city)) continue;
        int step = work->distance[last][city];
        tour->cities[tour->visited++] = city;
        tour->length += step;
        search(work, tour);
        tour->length -= step;
        tour->visited--;
    }
}

static struct tour *take(struct work *work) {
    pthread_mutex_lock(&work->queue_lock);
    struct tour *tour = work->taken < work->queued ? &work->queue[work->taken++] : NULL;
    pthread_mutex_unlock(&work->queue_lock);
    return tour;
}

static void *searcher(void *arg) {
    struct work *work = ((const struct member *)arg)->work;
    for (struct tour *tour; (tour = take(work));) search(work, tour);
    return NULL;
}

/* Puts every beginning of PREFIX cities into the queue. */
static void enqueue(struct work *work, struct tour *tour) {
    if (tour->visited == PREFIX) {
        work->queue[work->queued++] = *tour;
        return;
    }
    for (int city = 1; city < work->cities; city++) {
        if (is_in(tour, city)) continue;
        int step = work->distance[tour->cities[tour->visited - 1]][city];
        tour->cities[tour->visited++] = city;
        tour->length += step;
        enqueue(work, tour);
        tour->length -= step;
        tour->visited--;
    }
}

/* A first tour, improved by reversing parts of it (2-opt): with a good start, how much is searched depends little on
 * which thread finds what first. */
static void first_tour(struct work *work, int *cities) {
    for (int i = 0; i < work->cities; i++) cities[i] = i;
    for (int better = 1; better;) {
        better = 0;
        for (int i = 1; i < work->cities - 1; i++)
            for (int j = i + 1; j < work->cities; j++) {
                int before = length_of(work, cities), copy[MOST];
                memcpy(copy, cities, sizeof copy);
                for (int k = i; k <= j; k++) cities[k] = copy[i + j - k];
                if (length_of(work, cities) < before)
                    better = 1;
                else
                    memcpy(cities, copy, sizeof copy);
            }
    }
}

static void build_map(struct work *work) {
    uint64_t random = 31;
    double x[MOST], y[MOST];
    for (int i = 0; i < work->cities; i++) x[i] = 1000 * next_uniform(&random), y[i] = 1000 * next_uniform(&random);
    for (int i = 0; i < work->cities; i++) {
        work->cheapest[i] = 1000000;
        for (int j = 0; j < work->cities; j++) {
            int d = work->distance[i][j] = (int)hypot(x[i] - x[j], y[i] - y[j]);
            if (i != j && d < work->cheapest[i]) work->cheapest[i] = d;
        }
    }
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 14);
    if (args.size < PREFIX + 1 || args.size > MOST) die("between 5 and 32 cities");
    struct work *work = allocate(1, sizeof *work);
    work->cities = (int)args.size;
    work->queue = allocate(MOST * MOST * MOST, sizeof *work->queue);
    pthread_mutex_init(&work->queue_lock, NULL);
    pthread_mutex_init(&work->best_lock, NULL);
    build_map(work);
    first_tour(work, work->best_cities);
    atomic_init(&work->best, length_of(work, work->best_cities) + 1);
    enqueue(work, &(struct tour){0, 1, {0}});

    run_team(args.threads, work, searcher);
    int best = atomic_load(&work->best), seen = 0;
    for (int i = 0; i < work->cities; i++) seen |= 1 << work->best_cities[i];
    if (best != length_of(work, work->best_cities) || seen != (int)((1u << work->cities) - 1)) die("not a tour");
    print_checksum("tsp", checksum(CHECKSUM_START, &best, sizeof best));
    free(work->queue);
    free(work);
    return 0;
}
