/* sparse: a random sparse matrix times a vector, many times. SIZE is the number of rows; five entries per row.
 *
 * Entries are sorted by row and cut between threads at row boundaries; matrix and vector are read by all threads. */
#include "common.h"
#include <math.h>

enum { PER_ROW = 5, ITERATIONS = 200 };

struct work {
    long rows, entries;
    const long *row, *column;
    const double *value, *x;
    double *y;
};

static void *multiply(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    struct range mine = part_of(work->rows, me);
    for (int iteration = 0; iteration < ITERATIONS; iteration++)
        for (long i = mine.from * PER_ROW; i < mine.to * PER_ROW; i++)
            work->y[work->row[i]] += work->x[work->column[i]] * work->value[i];
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 100000);
    long rows = args.size, entries = rows * PER_ROW;
    long *row = allocate(entries, sizeof *row), *column = allocate(entries, sizeof *column);
    double *value = allocate(entries, sizeof *value), *x = allocate(rows, sizeof *x), *y = allocate(rows, sizeof *y);
    uint64_t random = 29;
    for (long i = 0; i < rows; i++) x[i] = next_uniform(&random);
    for (long i = 0; i < entries; i++) {
        row[i] = i / PER_ROW;
        column[i] = (long)(next_random(&random) % (uint64_t)rows);
        value[i] = next_uniform(&random);
    }
    struct work work = {rows, entries, row, column, value, x, y};
    run_team(args.threads, &work, multiply);

    for (long i = 0; i < rows; i++) {
        double once = 0;
        for (long e = i * PER_ROW; e < (i + 1) * PER_ROW; e++) once += x[column[e]] * value[e];
        if (fabs(y[i] - ITERATIONS * once) > 1e-9 * ITERATIONS) die("the product is wrong");
    }
    print_checksum("sparse", checksum(CHECKSUM_START, y, rows * sizeof *y));
    free(row), free(column), free(value), free(x), free(y);
    return 0;
}
