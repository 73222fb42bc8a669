/* montecarlo: prices of a stock simulated as a geometric Brownian motion, many runs. SIZE is the number of runs.
 *
 * Runs are dealt out from a counter under a lock; each allocates its own path, and puts its result into a shared list
 * under another lock. The parameters are read by all threads. */
#include "common.h"
#include <math.h>

enum { STEPS = 1000 };

struct result {
    struct result *next;
    long run;
    double drift, volatility;
};

struct work {
    long runs, next_run;
    double start, drift, volatility;
    pthread_mutex_t dealing, collecting;
    struct result *results;
};

/* Two independent normal numbers (Box and Muller 1958). */
static void normal_pair(uint64_t *random, double out[2]) {
    double radius = sqrt(-2 * log(1 - next_uniform(random))), angle = 2 * M_PI * next_uniform(random);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

static void walk(const struct work *work, long run, double *path) {
    uint64_t random = (uint64_t)run * 1000003 + 17;
    double dt = 1.0 / STEPS, pair[2] = {0, 0};
    double trend = (work->drift - work->volatility * work->volatility / 2) * dt;
    path[0] = work->start;
    for (int i = 1; i <= STEPS; i++) {
        if (i % 2) normal_pair(&random, pair);
        path[i] = path[i - 1] * exp(trend + work->volatility * sqrt(dt) * pair[i % 2]);
    }
}

/* What drift and volatility that path shows: mean and variance of the logarithms of its steps. */
static struct result *estimate(long run, const double *path) {
    double *returns = allocate(STEPS, sizeof *returns), mean = 0, variance = 0;
    for (int i = 0; i < STEPS; i++) mean += (returns[i] = log(path[i + 1] / path[i])) / STEPS;
    for (int i = 0; i < STEPS; i++) variance += (returns[i] - mean) * (returns[i] - mean) / (STEPS - 1);
    free(returns);
    struct result *result = allocate(1, sizeof *result);
    *result = (struct result){NULL, run, mean * STEPS + variance * STEPS / 2, sqrt(variance * STEPS)};
    return result;
}

static long deal(struct work *work) {
    pthread_mutex_lock(&work->dealing);
    long run = work->next_run < work->runs ? work->next_run++ : -1;
    pthread_mutex_unlock(&work->dealing);
    return run;
}

static void *simulate(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    for (long run; (run = deal(work)) >= 0;) {
        double *path = allocate(STEPS + 1, sizeof *path);
        walk(work, run, path);
        struct result *result = estimate(run, path);
        free(path);
        pthread_mutex_lock(&work->collecting);
        result->next = work->results;
        work->results = result;
        pthread_mutex_unlock(&work->collecting);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 10000);
    struct work work = {.runs = args.size, .start = 100, .drift = 0.05, .volatility = 0.2};
    pthread_mutex_init(&work.dealing, NULL);
    pthread_mutex_init(&work.collecting, NULL);
    run_team(args.threads, &work, simulate);

    double *volatility = allocate(work.runs, sizeof *volatility), mean = 0;
    for (struct result *r = work.results, *next; r; r = next) {
        next = r->next;
        volatility[r->run] = r->volatility;
        free(r);
    }
    for (long i = 0; i < work.runs; i++) mean += volatility[i] / (double)work.runs;
    if (!(fabs(mean - work.volatility) < 0.01)) die("the volatility found is not the one put in");
    print_checksum("montecarlo", checksum(CHECKSUM_START, volatility, work.runs * sizeof *volatility));
    free(volatility);
    return 0;
}
