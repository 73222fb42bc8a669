/* elevator: lifts that serve calls in a building. SIZE is the number of passengers; every thread but one is a lift.
 *
 * The one other thread makes calls, a few ahead at most. A floor's queue is guarded by that floor's lock; a lift with
 * nothing to do sleeps on a condition variable. No time is simulated by sleeping: this measures locks. */
#include "common.h"

enum { FLOORS = 16, CAPACITY = 8, MOST_WAITING = 64 };

struct passenger {
    struct passenger *next;
    int from, to;
};

struct floor {
    pthread_mutex_t lock;
    struct passenger *waiting;
};

struct building {
    struct floor floors[FLOORS];
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t called, served;
    long waiting, carried, distance;
    int closed;
    long passengers;
};

struct lift {
    int at, direction, load;
    struct passenger *inside;
    long carried, distance;
};

static void make_calls(struct building *building) {
    uint64_t random = 37;
    for (long i = 0; i < building->passengers; i++) {
        struct passenger *passenger = allocate(1, sizeof *passenger);
        passenger->from = (int)(next_random(&random) % FLOORS);
        passenger->to = (int)((unsigned)passenger->from + 1 + next_random(&random) % (FLOORS - 1)) % FLOORS;
        struct floor *floor = &building->floors[passenger->from];
        pthread_mutex_lock(&floor->lock);
        passenger->next = floor->waiting;
        floor->waiting = passenger;
        pthread_mutex_unlock(&floor->lock);

        pthread_mutex_lock(&building->lock);
        building->waiting++;
        pthread_cond_signal(&building->called);
        while (building->waiting >= MOST_WAITING) pthread_cond_wait(&building->served, &building->lock);
        pthread_mutex_unlock(&building->lock);
    }
    pthread_mutex_lock(&building->lock);
    building->closed = 1;
    pthread_cond_broadcast(&building->called);
    pthread_mutex_unlock(&building->lock);
}

static void let_out(struct lift *lift) {
    for (struct passenger **link = &lift->inside; *link;) {
        struct passenger *passenger = *link;
        if (passenger->to != lift->at) {
            link = &passenger->next;
            continue;
        }
        *link = passenger->next;
        lift->load--;
        lift->carried++;
        lift->distance += abs(passenger->to - passenger->from);
        free(passenger);
    }
}

static void let_in(struct building *building, struct lift *lift) {
    struct floor *floor = &building->floors[lift->at];
    long entered = 0;
    pthread_mutex_lock(&floor->lock);
    while (floor->waiting && lift->load < CAPACITY) {
        struct passenger *passenger = floor->waiting;
        floor->waiting = passenger->next;
        passenger->next = lift->inside;
        lift->inside = passenger;
        lift->load++;
        entered++;
    }
    pthread_mutex_unlock(&floor->lock);
    if (!entered) return;
    pthread_mutex_lock(&building->lock);
    building->waiting -= entered;
    pthread_cond_signal(&building->served);
    pthread_mutex_unlock(&building->lock);
}

/* Sleeps until someone waits; 0 when the building is closed and empty. */
static int await_call(struct building *building) {
    pthread_mutex_lock(&building->lock);
    while (building->waiting <= 0 && !building->closed) pthread_cond_wait(&building->called, &building->lock);
    int more = building->waiting != 0 || !building->closed;
    pthread_mutex_unlock(&building->lock);
    return more;
}

static void run_lift(struct building *building, struct lift *lift) {
    while (lift->load > 0 || await_call(building)) {
        let_out(lift);
        let_in(building, lift);
        if (lift->at + lift->direction < 0 || lift->at + lift->direction >= FLOORS) lift->direction = -lift->direction;
        lift->at += lift->direction;
    }
    pthread_mutex_lock(&building->lock);
    building->carried += lift->carried;
    building->distance += lift->distance;
    pthread_mutex_unlock(&building->lock);
}

static void *take_part(void *arg) {
    const struct member *me = arg;
    if (me->id == 0) {
        make_calls(me->work);
    } else {
        struct lift lift = {.at = me->id % FLOORS, .direction = 1};
        run_lift(me->work, &lift);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 400000);
    if (args.threads < 2) die("one thread makes calls; a lift needs another");
    struct building *building = allocate(1, sizeof *building);
    building->passengers = args.size;
    for (int i = 0; i < FLOORS; i++) pthread_mutex_init(&building->floors[i].lock, NULL);
    pthread_mutex_init(&building->lock, NULL);
    pthread_cond_init(&building->called, NULL);
    pthread_cond_init(&building->served, NULL);
    run_team(args.threads, building, take_part);
    if (building->carried != args.size || building->waiting != 0) die("someone was left behind");
    print_checksum("elevator", checksum(CHECKSUM_START, &building->distance, sizeof building->distance));
    free(building);
    return 0;
}
