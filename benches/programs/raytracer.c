/* raytracer: 64 reflecting spheres, five lights, shadows. SIZE is the width and height of the picture.
 *
 * Rows are dealt out in turn; the scene is read by all threads; each adds its part of the checksum under a lock. */
#include "common.h"
#include <math.h>

enum { SIDE = 4, SPHERES = SIDE * SIDE * SIDE, LIGHTS = 5, DEPTH = 4 };

typedef struct {
    double x, y, z;
} vec;

struct sphere {
    vec centre, colour;
    double radius, diffuse, shine, mirror;
};

struct light {
    vec at;
    double brightness;
};

struct work {
    long size;
    struct sphere spheres[SPHERES];
    struct light lights[LIGHTS];
    unsigned char (*pixels)[3];
    pthread_mutex_t lock;
    uint64_t sum; /* of all colour values, guarded by `lock` */
};

struct hit {
    const struct sphere *sphere;
    double distance;
};

static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec scale(vec a, double s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec unit(vec a) { return scale(a, 1 / sqrt(dot(a, a))); }
static vec mirrored(vec direction, vec normal) { return sub(direction, scale(normal, 2 * dot(direction, normal))); }

/* How far along the ray the sphere is, or a negative number. */
static double meet(const struct sphere *sphere, vec from, vec direction) {
    vec to_centre = sub(sphere->centre, from);
    double along = dot(to_centre, direction);
    double inside = along * along - dot(to_centre, to_centre) + sphere->radius * sphere->radius;
    return inside < 0 ? -1 : along - sqrt(inside);
}

static struct hit nearest(const struct work *work, vec from, vec direction) {
    struct hit best = {NULL, INFINITY};
    for (int i = 0; i < SPHERES; i++) {
        double distance = meet(&work->spheres[i], from, direction);
        if (distance > 1e-6 && distance < best.distance) best = (struct hit){&work->spheres[i], distance};
    }
    return best;
}

static int in_shadow(const struct work *work, vec at, vec direction, double limit) {
    for (int i = 0; i < SPHERES; i++) {
        double distance = meet(&work->spheres[i], at, direction);
        if (distance > 1e-6 && distance < limit) return 1;
    }
    return 0;
}

static vec trace(const struct work *work, vec from, vec direction, int depth) {
    struct hit hit = nearest(work, from, direction);
    if (!hit.sphere) return scale((vec){0.2, 0.3, 0.5}, 0.5 + direction.y / 2);
    const struct sphere *sphere = hit.sphere;
    vec at = add(from, scale(direction, hit.distance)), normal = unit(sub(at, sphere->centre));
    vec reflection = mirrored(direction, normal), colour = scale(sphere->colour, 0.1);
    for (int i = 0; i < LIGHTS; i++) {
        vec way = sub(work->lights[i].at, at);
        double distance = sqrt(dot(way, way));
        vec to_light = scale(way, 1 / distance);
        double facing = dot(normal, to_light);
        if (facing <= 0 || in_shadow(work, at, to_light, distance)) continue;
        colour = add(colour, scale(sphere->colour, facing * sphere->diffuse * work->lights[i].brightness));
        double glint = dot(reflection, to_light);
        if (glint > 0) {
            double strength = pow(glint, sphere->shine) * work->lights[i].brightness;
            colour = add(colour, (vec){strength, strength, strength});
        }
    }
    if (depth > 1) colour = add(colour, scale(trace(work, at, reflection, depth - 1), sphere->mirror));
    return colour;
}

static unsigned char to_byte(double value) { return value >= 1 ? 255 : (unsigned char)(value * 255); }

static void *render(void *arg) {
    const struct member *me = arg;
    struct work *work = me->work;
    uint64_t sum = 0;
    for (long row = me->id; row < work->size; row += me->threads) {
        for (long column = 0; column < work->size; column++) {
            double x = 2.0 * (double)column / (double)work->size - 1, y = 1 - 2.0 * (double)row / (double)work->size;
            vec colour = trace(work, (vec){x, y, -30}, unit((vec){x * 0.5, y * 0.5, 1.2}), DEPTH);
            unsigned char *pixel = work->pixels[row * work->size + column];
            pixel[0] = to_byte(colour.x);
            pixel[1] = to_byte(colour.y);
            pixel[2] = to_byte(colour.z);
            sum += pixel[0] + pixel[1] + pixel[2];
        }
    }
    pthread_mutex_lock(&work->lock);
    work->sum += sum;
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static void build_scene(struct work *work) {
    uint64_t random = 19;
    for (int i = 0; i < SPHERES; i++) {
        vec cell = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        work->spheres[i] = (struct sphere){
            .centre = scale(sub(cell, (vec){1.5, 1.5, 0}), 5),
            .colour = {next_uniform(&random), next_uniform(&random), next_uniform(&random)},
            .radius = 1.4 + next_uniform(&random),
            .diffuse = 0.5,
            .shine = 15,
            .mirror = 0.4,
        };
    }
    for (int i = 0; i < LIGHTS; i++) {
        vec at = {20 * next_uniform(&random) - 10, 20 * next_uniform(&random), -20 * next_uniform(&random) - 10};
        work->lights[i] = (struct light){at, 0.5};
    }
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 600);
    struct work *work = allocate(1, sizeof *work);
    work->size = args.size;
    work->pixels = allocate(args.size * args.size, sizeof *work->pixels);
    pthread_mutex_init(&work->lock, NULL);
    build_scene(work);
    run_team(args.threads, work, render);

    uint64_t sum = 0;
    for (long i = 0; i < args.size * args.size; i++)
        sum += work->pixels[i][0] + work->pixels[i][1] + work->pixels[i][2];
    if (sum != work->sum || sum == 0) die("the sum of the threads is not that of the picture");
    print_checksum("raytracer", checksum(CHECKSUM_START, work->pixels, args.size * args.size * sizeof *work->pixels));
    free(work->pixels);
    free(work);
    return 0;
}
