/* moldyn: molecular dynamics of argon atoms under the Lennard-Jones potential. SIZE: 4 * SIZE^3 atoms.
 *
 * Positions are read by all; every thread sums the forces of its pairs in an array of its own, and after a barrier each
 * thread adds up all arrays for its part of the atoms and moves them (velocity Verlet, periodic box). */
#include "common.h"
#include <math.h>

enum { STEPS = 40, AXES = 3 };
static const double DENSITY = 0.83134, TEMPERATURE = 0.722, DT = 0.002;

typedef double vector[AXES];

struct work {
    long atoms;
    double box, cutoff;
    vector *position, *velocity, *force;
    vector **own_force; /* one array per thread */
    double *own_potential;
    double first_energy, last_energy;
    pthread_barrier_t barrier;
};

static double wrapped(double distance, double box) {
    if (distance > box / 2) return distance - box;
    if (distance < -box / 2) return distance + box;
    return distance;
}

static void pair_forces(struct work *work, const struct member *me) {
    vector *force = work->own_force[me->id];
    double potential = 0, limit = work->cutoff * work->cutoff;
    memset(force, 0, work->atoms * sizeof *force);
    for (long i = me->id; i < work->atoms; i += me->threads) {
        for (long j = i + 1; j < work->atoms; j++) {
            vector d;
            for (int k = 0; k < AXES; k++)
                d[k] = wrapped(work->position[i][k] - work->position[j][k], work->box);
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (r2 > limit) continue;
            double r6 = 1 / (r2 * r2 * r2), strength = 24 * r6 * (2 * r6 - 1) / r2;
            potential += 4 * r6 * (r6 - 1);
            for (int k = 0; k < AXES; k++) {
                force[i][k] += strength * d[k];
                force[j][k] -= strength * d[k];
            }
        }
    }
    work->own_potential[me->id] = potential;
}

static void add_up(struct work *work, const struct member *me, struct range mine) {
    for (long i = mine.from; i < mine.to; i++)
        for (int k = 0; k < AXES; k++) {
            double sum = 0;
            for (int t = 0; t < me->threads; t++) sum += work->own_force[t][i][k];
            work->force[i][k] = sum;
        }
}

static void kick(struct work *work, struct range mine) {
    for (long i = mine.from; i < mine.to; i++)
        for (int k = 0; k < AXES; k++) work->velocity[i][k] += DT / 2 * work->force[i][k];
}

static void drift(struct work *work, struct range mine) {
    for (long i = mine.from; i < mine.to; i++)
        for (int k = 0; k < AXES; k++) {
            double x = work->position[i][k] + DT * work->velocity[i][k];
            work->position[i][k] = x < 0 ? x + work->box : x >= work->box ? x - work->box : x;
        }
}

static double energy(const struct work *work, int threads) {
    double sum = 0;
    for (long i = 0; i < work->atoms; i++)
        for (int k = 0; k < AXES; k++) sum += work->velocity[i][k] * work->velocity[i][k] / 2;
    for (int t = 0; t < threads; t++) sum += work->own_potential[t];
    return sum;
}

static void *simulate(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    struct range mine = part_of(work->atoms, me);
    for (int step = 0; step <= STEPS; step++) {
        if (step > 0) {
            kick(work, mine);
            drift(work, mine);
        }
        pthread_barrier_wait(&work->barrier);
        pair_forces(work, me);
        pthread_barrier_wait(&work->barrier);
        add_up(work, me, mine);
        if (step > 0) kick(work, mine);
        pthread_barrier_wait(&work->barrier);
        if (me->id == 0 && step == 0) work->first_energy = energy(work, me->threads);
        if (me->id == 0 && step == STEPS) work->last_energy = energy(work, me->threads);
        pthread_barrier_wait(&work->barrier);
    }
    return NULL;
}

/* Atoms on a face-centred cubic lattice with random velocities of zero sum. */
static void place(struct work *work, long cells) {
    static const double corners[4][AXES] = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
    double side = work->box / (double)cells;
    uint64_t random = 13;
    vector drift = {0};
    for (long i = 0; i < work->atoms; i++) {
        long cell = i / 4, at[AXES] = {cell % cells, cell / cells % cells, cell / cells / cells};
        for (int k = 0; k < AXES; k++) {
            work->position[i][k] = side * ((double)at[k] + corners[i % 4][k] + 0.25);
            work->velocity[i][k] = sqrt(TEMPERATURE * 12) * (next_uniform(&random) - 0.5);
            drift[k] += work->velocity[i][k] / (double)work->atoms;
        }
    }
    for (long i = 0; i < work->atoms; i++)
        for (int k = 0; k < AXES; k++) work->velocity[i][k] -= drift[k];
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 8);
    struct work work = {.atoms = 4 * args.size * args.size * args.size};
    work.box = cbrt((double)work.atoms / DENSITY);
    work.cutoff = fmin(2.5, work.box / 2);
    work.position = allocate(work.atoms, sizeof(vector));
    work.velocity = allocate(work.atoms, sizeof(vector));
    work.force = allocate(work.atoms, sizeof(vector));
    work.own_force = allocate(args.threads, sizeof *work.own_force);
    work.own_potential = allocate(args.threads, sizeof(double));
    for (int t = 0; t < args.threads; t++) work.own_force[t] = allocate(work.atoms, sizeof(vector));
    place(&work, args.size);
    pthread_barrier_init(&work.barrier, NULL, args.threads);

    run_team(args.threads, &work, simulate);
    if (!(fabs(work.last_energy - work.first_energy) < 0.02 * fabs(work.first_energy)))
        die("energy is not conserved");
    print_checksum("moldyn", checksum(CHECKSUM_START, work.position, work.atoms * sizeof(vector)));

    pthread_barrier_destroy(&work.barrier);
    for (int t = 0; t < args.threads; t++) free(work.own_force[t]);
    free(work.own_force), free(work.own_potential);
    free(work.position), free(work.velocity), free(work.force);
    return 0;
}
