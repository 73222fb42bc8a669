/* lufact: Linpack's LU factorisation with partial pivoting by columns (dgefa, dgesl). SIZE is the order of the matrix.
 *
 * In step k one thread chooses the pivot and scales column k; after a barrier everyone eliminates its own columns. */
#include "common.h"
#include <math.h>

struct work {
    long n;
    double **a; /* a[j] is column j */
    long *pivots;
    pthread_barrier_t barrier;
};

static long largest(const double *column, long from, long n) {
    long best = from;
    for (long i = from + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[best])) best = i;
    return best;
}

/* y += factor * x on the rows from..n. */
static void add_scaled(double *y, double factor, const double *x, long from, long n) {
    for (long i = from; i < n; i++) y[i] += factor * x[i];
}

static void swap(double *column, long i, long j) {
    double t = column[i];
    column[i] = column[j];
    column[j] = t;
}

static void choose_pivot(struct work *work, long k) {
    double *column = work->a[k];
    long pivot = work->pivots[k] = largest(column, k, work->n);
    if (column[pivot] == 0) die("the matrix is singular");
    swap(column, pivot, k);
    for (long i = k + 1; i < work->n; i++) column[i] *= -1 / column[k];
}

static void *factorise(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    for (long k = 0; k < work->n; k++) {
        if (me->id == 0) choose_pivot(work, k);
        pthread_barrier_wait(&work->barrier);
        for (long j = k + 1 + me->id; j < work->n; j += me->threads) {
            swap(work->a[j], work->pivots[k], k);
            add_scaled(work->a[j], work->a[j][k], work->a[k], k + 1, work->n);
        }
        pthread_barrier_wait(&work->barrier);
    }
    return NULL;
}

static void solve(const struct work *work, double *b) {
    for (long k = 0; k < work->n; k++) {
        swap(b, work->pivots[k], k);
        add_scaled(b, b[k], work->a[k], k + 1, work->n);
    }
    for (long k = work->n - 1; k >= 0; k--) {
        b[k] /= work->a[k][k];
        add_scaled(b, -b[k], work->a[k], 0, k);
    }
}

/* Linpack's matrix: its own small generator; the right side is the sum of each row, so the solution is all ones. */
static void generate(struct work *work, double *b) {
    long random = 1325;
    for (long j = 0; j < work->n; j++)
        for (long i = 0; i < work->n; i++) {
            random = 3125 * random % 65536;
            work->a[j][i] = (double)(random - 32768) / 16384;
        }
    /* The generator's period is 2^14; larger matrices would have equal columns, so each has its own diagonal. */
    for (long j = 0; j < work->n; j++) work->a[j][j] += 4 + (double)(j % 97) / 97;
    for (long j = 0; j < work->n; j++) add_scaled(b, 1, work->a[j], 0, work->n);
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 1000);
    struct work work = {.n = args.size};
    work.a = allocate(work.n, sizeof *work.a);
    work.pivots = allocate(work.n, sizeof *work.pivots);
    for (long j = 0; j < work.n; j++) work.a[j] = allocate(work.n, sizeof **work.a);
    double *b = allocate(work.n, sizeof *b);
    generate(&work, b);
    pthread_barrier_init(&work.barrier, NULL, args.threads);

    run_team(args.threads, &work, factorise);
    solve(&work, b);
    for (long i = 0; i < work.n; i++)
        if (fabs(b[i] - 1) > 1e-6) die("the solution is wrong");
    print_checksum("lufact", checksum(CHECKSUM_START, b, work.n * sizeof *b));

    pthread_barrier_destroy(&work.barrier);
    for (long j = 0; j < work.n; j++) free(work.a[j]);
    free(work.a), free(work.pivots), free(b);
    return 0;
}
