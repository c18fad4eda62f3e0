/* Randomness: ChaCha20 (RFC 8439) over the 32-byte seed that the host gave this run. */

static struct {
    uint32_t counter;
    uint32_t used;
    uint8_t block[64];
} stream = {.used = 64};

static inline uint32_t rotate(uint32_t v, int n)
{
    return (v << n) | (v >> (32 - n));
}

#define QUARTER(a, b, c, d)                                                                                            \
    a += b, d = rotate(d ^ a, 16), c += d, b = rotate(b ^ c, 12), a += b, d = rotate(d ^ a, 8), c += d,                \
    b = rotate(b ^ c, 7)

static void chacha_block(void)
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    uint32_t x[16];

    memcpy(start + 4, cell_mailbox.seed, 32);
    start[12] = stream.counter++;
    memcpy(x, start, sizeof x);
    for (int i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; i++)
        x[i] += start[i];
    memcpy(stream.block, x, 64);
    stream.used = 0;
}

void cell_random(uint8_t *dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (stream.used == 64)
            chacha_block();
        dst[i] = stream.block[stream.used++];
    }
}

/* Math.random must differ between runs too. Its state is mixed from the seed: a program that works the state out learns
   64 bits about the key of its own stream, of 256. Never zero: xorshift would stay there. */
static void seed_math_random(JSContext *ctx)
{
    uint64_t words[4], state = 0x9e3779b97f4a7c15;

    memcpy(words, cell_mailbox.seed, sizeof words);
    for (int i = 0; i < 4; i++) {
        state = (state ^ words[i]) * 0xbf58476d1ce4e5b9;
        state ^= state >> 29;
    }
    ctx->random_state = state ? state : 1;
}
