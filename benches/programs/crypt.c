/* crypt: IDEA encryption and decryption of an array (Lai and Massey 1991; Java Grande's Crypt). SIZE is in bytes.
 *
 * Each thread owns a part of the array; the 52 subkeys are read by all of them. One team encrypts, the next decrypts. */
#include "common.h"

enum { ROUNDS = 8, SUBKEYS = 6 * ROUNDS + 4 };

struct work {
    const uint16_t *keys;
    const uint8_t *in;
    uint8_t *out;
    long blocks;
};

/* Multiplication modulo 65537, where 0 stands for 65536. */
static inline uint16_t mul(uint32_t a, uint32_t b) {
    if (a == 0) return (uint16_t)(1 - b);
    if (b == 0) return (uint16_t)(1 - a);
    uint32_t product = a * b, low = product & 0xffff, high = product >> 16;
    return (uint16_t)(low - high + (low < high));
}

/* The inverse of a modulo 65537, by Fermat: a^65535. */
static uint16_t mul_inverse(uint16_t a) {
    uint16_t power = a, result = 1;
    for (int bit = 0; bit < 16; bit++) {
        result = mul(result, power);
        power = mul(power, power);
    }
    return result;
}

/* Subkeys: eight words of the key, then the key rotated left by 25 bits, and so on. */
static void expand_key(const uint16_t key[8], uint16_t keys[SUBKEYS]) {
    for (int i = 0; i < SUBKEYS; i++) {
        if (i < 8) {
            keys[i] = key[i];
        } else {
            const uint16_t *last = keys + (i / 8 - 1) * 8;
            keys[i] = (uint16_t)(last[(i + 1) % 8] << 9 | last[(i + 2) % 8] >> 7);
        }
    }
}

/* The same network decrypts when the subkeys are inverted and taken backwards. */
static void invert_keys(const uint16_t keys[SUBKEYS], uint16_t inverse[SUBKEYS]) {
    for (int round = 0; round <= ROUNDS; round++) {
        const uint16_t *from = keys + 6 * (ROUNDS - round);
        uint16_t *to = inverse + 6 * round;
        int outermost = round == 0 || round == ROUNDS;
        to[0] = mul_inverse(from[0]);
        to[1] = (uint16_t)-from[outermost ? 1 : 2];
        to[2] = (uint16_t)-from[outermost ? 2 : 1];
        to[3] = mul_inverse(from[3]);
        if (round < ROUNDS) {
            to[4] = from[-2];
            to[5] = from[-1];
        }
    }
}

static inline uint16_t load(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }

static inline void store(uint8_t *at, uint16_t word) {
    at[0] = (uint8_t)word;
    at[1] = (uint8_t)(word >> 8);
}

static void cipher_block(const uint16_t *key, const uint8_t *in, uint8_t *out) {
    uint16_t x0 = load(in), x1 = load(in + 2), x2 = load(in + 4), x3 = load(in + 6);
    for (int round = 0; round < ROUNDS; round++, key += 6) {
        x0 = mul(x0, key[0]);
        x1 += key[1];
        x2 += key[2];
        x3 = mul(x3, key[3]);
        uint16_t t = mul(x0 ^ x2, key[4]);
        uint16_t u = mul((uint16_t)(t + (x1 ^ x3)), key[5]);
        t += u;
        x0 ^= u;
        x3 ^= t;
        uint16_t middle = x1 ^ t;
        x1 = x2 ^ u;
        x2 = middle;
    }
    store(out, mul(x0, key[0]));
    store(out + 2, x2 + key[1]);
    store(out + 4, x1 + key[2]);
    store(out + 6, mul(x3, key[3]));
}

static void *cipher(void *arg) {
    const struct member *me = arg;
    const struct work *work = me->work;
    struct range mine = part_of(work->blocks, me);
    for (long i = mine.from; i < mine.to; i++) cipher_block(work->keys, work->in + 8 * i, work->out + 8 * i);
    return NULL;
}

int main(int argc, char **argv) {
    struct args args = parse_args(argc, argv, 16000000);
    long blocks = (args.size + 7) / 8, bytes = 8 * blocks;
    uint8_t *plain = allocate(bytes, 1), *secret = allocate(bytes, 1), *again = allocate(bytes, 1);
    uint64_t random = 11;
    for (long i = 0; i < bytes; i++) plain[i] = (uint8_t)next_random(&random);
    uint16_t key[8], keys[SUBKEYS], inverse[SUBKEYS];
    for (int i = 0; i < 8; i++) key[i] = (uint16_t)next_random(&random);
    expand_key(key, keys);
    invert_keys(keys, inverse);

    run_team(args.threads, &(struct work){keys, plain, secret, blocks}, cipher);
    run_team(args.threads, &(struct work){inverse, secret, again, blocks}, cipher);
    if (memcmp(plain, again, bytes) || !memcmp(plain, secret, bytes)) die("decryption gives another text");
    print_checksum("crypt", checksum(CHECKSUM_START, secret, bytes));
    free(plain), free(secret), free(again);
    return 0;
}
