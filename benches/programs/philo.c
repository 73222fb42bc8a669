/* philo: dining philosophers (Dijkstra 1971) with the waiter's monitor. SIZE is how often each one eats.
 *
 * One lock guards who is eating; a philosopher whose neighbour eats sleeps on a condition variable of his own. */
#include "common.h"

enum { MOST = 256, BITES = 512 };
enum state { THINKING, HUNGRY, EATING };

struct table {
    int seats;
    long meals;
    pthread_mutex_t lock;
    enum state state[MOST];
    pthread_cond_t may_eat[MOST];
    long eaten[MOST];
    unsigned char fork[MOST]; /* who used it last; guarded by the protocol, not by the lock */
    uint64_t plate[MOST][BITES];
};

static int left_of(const struct table *table, int i) { return (i + table->seats - 1) % table->seats; }
static int right_of(const struct table *table, int i) { return (i + 1) % table->seats; }

/* Lets philosopher i eat if he wants to and no neighbour does. Called with the lock held. */
static void consider(struct table *table, int i) {
    if (table->state[i] != HUNGRY) return;
    if (table->state[left_of(table, i)] == EATING || table->state[right_of(table, i)] == EATING) return;
    table->state[i] = EATING;
    pthread_cond_signal(&table->may_eat[i]);
}

static void take_forks(struct table *table, int i) {
    pthread_mutex_lock(&table->lock);
    table->state[i] = HUNGRY;
    consider(table, i);
    while (table->state[i] != EATING) pthread_cond_wait(&table->may_eat[i], &table->lock);
    pthread_mutex_unlock(&table->lock);
}

static void put_forks(struct table *table, int i) {
    pthread_mutex_lock(&table->lock);
    table->state[i] = THINKING;
    consider(table, left_of(table, i));
    consider(table, right_of(table, i));
    pthread_mutex_unlock(&table->lock);
}

static void eat(struct table *table, int i, uint64_t *random) {
    table->fork[i] = table->fork[right_of(table, i)] = (unsigned char)i;
    for (int bite = 0; bite < BITES; bite++) table->plate[i][bite] += next_random(random);
    if (table->fork[i] != i || table->fork[right_of(table, i)] != i) die("a fork was used by two");
    table->eaten[i]++;
}

static void *dine(void *arg) {
    const struct member *me = arg;
    struct table *table = me->work;
    uint64_t random = (uint64_t)me->id;
    for (long meal = 0; meal < table->meals; meal++) {
        take_forks(table, me->id);
        eat(table, me->id, &random);
        put_forks(table, me->id);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 60000);
    if (args.threads < 2) die("one philosopher has only one fork");
    struct table *table = allocate(1, sizeof *table);
    table->seats = args.threads;
    table->meals = args.size;
    pthread_mutex_init(&table->lock, NULL);
    for (int i = 0; i < table->seats; i++) pthread_cond_init(&table->may_eat[i], NULL);
    run_team(args.threads, table, dine);
    for (int i = 0; i < table->seats; i++)
        if (table->eaten[i] != args.size) die("someone went hungry");
    print_checksum("philo", checksum(CHECKSUM_START, table->plate, sizeof table->plate));
    free(table);
    return 0;
}
