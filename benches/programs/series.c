/* series: the first Fourier coefficients of (x+1)^x on [0, 2], by the trapezoid rule. SIZE is how many.
 *
 * Each thread computes a part of them; hardly any memory is touched. */
#include "common.h"
#include <math.h>

enum { INTERVALS = 1000 };
/* The first coefficients, from an integration a hundred times as fine. */
static const double A0 = 2.8819181, A1 = 1.1340356, B1 = -1.8820903;

struct work {
    long size;
    double *a, *b; /* a[n] of cos(n pi x), b[n] of sin(n pi x) */
};

static double integrate(double (*wave)(double), double omega) {
    double dx = 2.0 / INTERVALS, sum = 0;
    for (int i = 0; i <= INTERVALS; i++) {
        double x = i * dx, value = pow(x + 1, x) * (omega == 0 ? 1 : wave(omega * x));
        sum += i == 0 || i == INTERVALS ? value / 2 : value;
    }
    return sum * dx;
}

static void *coefficients(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    struct range mine = part_of(work->size, me);
    for (long n = mine.from; n < mine.to; n++) {
        work->a[n] = integrate(cos, M_PI * (double)n) / (n == 0 ? 2 : 1);
        work->b[n] = n == 0 ? 0 : integrate(sin, M_PI * (double)n);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 7000);
    struct work work = {args.size, allocate(args.size, sizeof(double)), allocate(args.size, sizeof(double))};
    run_team(args.threads, &work, coefficients);
    if (fabs(work.a[0] - A0) > 1e-4) die("a0 is wrong");
    if (args.size > 1 && (fabs(work.a[1] - A1) > 1e-4 || fabs(work.b[1] - B1) > 1e-4)) die("a1 or b1 is wrong");
    uint64_t hash = checksum(CHECKSUM_START, work.a, args.size * sizeof(double));
    print_checksum("series", checksum(hash, work.b, args.size * sizeof(double)));
    free(work.a), free(work.b);
    return 0;
}
